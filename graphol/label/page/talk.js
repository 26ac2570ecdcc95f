"use strict";
// Talking to the server. An answer has a token of its own and stays in the browser until the server
// has said that it is on disk; sent twice, it is one answer. While nobody listens, it is sent again.
var talk = (function () {
  var PAUSE = 500, LONGEST = 8000, waiting = [], key = null, sending = false, pause = PAUSE, timer = null;
  var listeners = {reply: function () {}, state: function () {}, refused: function () {}};

  function token() {
    var bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, function (b) { return b.toString(16).padStart(2, "0"); }).join("");
  }

  function keep() {
    if (key === null) return;
    try {
      if (waiting.length) localStorage.setItem(key, JSON.stringify(waiting));
      else localStorage.removeItem(key);
    } catch (reason) { /* a browser that keeps nothing: the answers wait in the page alone */ }
  }

  function open(project) {
    key = "graphol-waiting-" + project;
    try {
      var found = JSON.parse(localStorage.getItem(key) || "[]");
      if (Array.isArray(found) && !waiting.length) waiting = found;
    } catch (reason) { /* damaged: there is nothing to send */ }
    next();
  }

  function ask(method, path, body) {
    var options = {method: method, credentials: "same-origin", redirect: "error", headers: {}};
    if (body !== undefined) {
      options.headers["content-type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    if (AbortSignal.timeout) options.signal = AbortSignal.timeout(15000);
    return fetch(path, options).catch(function () { throw {lost: true, text: "no connection"}; })
      .then(function (reply) {
        return reply.json().catch(function () { throw {lost: true, text: "half a reply"}; })
          .then(function (said) {
            if (reply.ok) return said;
            throw {lost: reply.status >= 500 || reply.status === 408 || reply.status === 429, status: reply.status, text: said.error || "refused"};
          });
      });
  }

  function send(path, body) {
    body.token = token();
    waiting.push({path: path, body: body});
    keep();
    next();
  }

  function next() {
    if (sending || !waiting.length) return;
    clearTimeout(timer);
    sending = true;
    var first = waiting[0];
    ask("POST", first.path, first.body).then(function (said) {
      sending = false;
      pause = PAUSE;
      waiting.shift();
      keep();
      listeners.state(true, waiting.length);
      listeners.reply(said, waiting.length);
      next();
    }, function (reason) {
      sending = false;
      if (reason.lost || reason.status === 401) {
        listeners.state(false, waiting.length, reason);
        timer = setTimeout(next, pause);
        pause = Math.min(2 * pause, LONGEST);
        return;
      }
      waiting.shift();
      keep();
      listeners.refused(reason.text);
      next();
    });
  }

  window.addEventListener("online", function () { pause = PAUSE; next(); });
  return {ask: ask, send: send, open: open, on: listeners, left: function () { return waiting.length; }};
})();
