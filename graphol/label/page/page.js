"use strict";
// The page: one node, its answers, and how it goes. Text of users is only ever set as text.
(function () {
  var at = function (id) { return document.getElementById(id); };
  var names = [], shown = null, ahead = [], last = null, busy = false, impatient = null, answered = {};
  var SLOW = 900;  // milliseconds until the next node is taken from those that came before

  function percent(x) { return Math.round(100 * x) + " %"; }
  function say(text) { at("said").textContent = text; }
  function alarm(text) { at("alarm").textContent = text; at("alarm").hidden = !text; }
  function many(n, what) { return n + " " + what + (n === 1 ? "" : "s"); }

  function tag(name) {
    var made = document.createElement("b"), number = names.indexOf(name);
    made.className = number < 0 ? "tag" : "tag " + draw.colour(number);
    made.textContent = name;
    return made;
  }

  // the node

  function show(card) {
    shown = card;
    at("card").hidden = !card;
    at("around").hidden = !card;
    at("answers").classList.toggle("idle", !card);
    document.querySelectorAll("#classes button, #yes, #no, #skip, #unsure").forEach(function (b) { b.disabled = !card; });
    at("question").textContent = "";
    if (!card) return;
    at("done").hidden = true;
    at("id").textContent = String(card.node);
    at("id").hidden = card.title === String(card.node);
    at("title").textContent = card.title;
    at("description").textContent = card.description || "";
    at("address").hidden = !card.link;
    if (card.link) {
      at("out").href = card.link;
      at("out").textContent = card.link;
    }
    at("picture").hidden = !card.picture;
    if (card.picture) {
      at("picture").src = "/api/picture?node=" + encodeURIComponent(card.node);
      at("picture").alt = "Picture of " + card.title;
    } else at("picture").removeAttribute("src");
    at("columns").replaceChildren();
    (card.columns || []).forEach(function (pair) {
      var name = document.createElement("dt"), value = document.createElement("dd");
      name.textContent = pair[0];
      value.textContent = pair[1];
      at("columns").append(name, value);
    });
    guess(card);
    at("reason").textContent = card.reason ? "Asked because: " + card.reason : "";
    neighbourhood(card);
    ask();
    window.scrollTo(0, 0);
  }

  function guess(card) {
    var place = at("guess"), found = card.guess;
    place.replaceChildren();
    if (!found) place.append(enough() ? "The model is thinking: no guess of this node yet." : "The model has no guess yet: it needs answers of two classes.");
    else {
      place.append("The model guesses ", tag(found["class"]), found.known ? ", " + percent(found.probability) + " sure" : ", blindly: nothing known bears on this node");
      var others = (found.others || []).filter(function (o) { return o.probability >= 0.05; });
      if (found.known && others.length) {
        place.append("; then ");
        others.forEach(function (o, i) { place.append(i ? ", " : "", tag(o["class"]), " " + percent(o.probability)); });
      }
      place.append(".");
    }
    if (card.denied && card.denied.length) place.append(" It is not: " + card.denied.join(", ") + ".");
  }

  function enough() {
    return Boolean(last) && last.classes.filter(function (c) { return c.nodes > 0; }).length > 1;
  }

  function neighbourhood(card) {
    var found = card.around;
    draw.around(at("picture-of-graph"), found, names);
    draw.legend(at("legend"), found, names);
    at("around-text").textContent = found ? found.text : "";
    at("neighbours").replaceChildren();
    (found ? found.nodes : []).slice(1).forEach(function (node) {
      var row = document.createElement("tr"), number = draw.classOf(node);
      [node.title, number === null ? "" : names[number], number === null ? "nothing" : node.known !== null ? "known" : "guessed, " + percent(node.sure)]
        .forEach(function (text) {
          var cell = document.createElement("td");
          cell.textContent = text;
          row.appendChild(cell);
        });
      at("neighbours").appendChild(row);
    });
  }

  function bitClass() { return shown && shown.ask !== null ? shown.ask : null; }

  function ask() {
    var bits = at("bits").checked, name = bitClass();
    at("yesno").hidden = !bits;
    at("classes").hidden = bits;
    at("filter-row").hidden = bits || names.length < 10;
    if (!shown) return;
    at("question").textContent = !bits ? (names.length ? "Which class?" : "Add a class first: key a.")
      : name === null ? "Add a class first: key a." : "Is it " + name + "?";
    at("yes").disabled = at("no").disabled = name === null;
    document.querySelectorAll("#classes button").forEach(function (button) {
      button.classList.toggle("guessed", Boolean(shown.guess) && button.dataset.name === shown.guess["class"]);
    });
  }

  function announce() {
    if (!shown) return;
    var found = shown.guess;
    say("Next: " + shown.title + ". " + (at("bits").checked ? at("question").textContent + " "
      : found && found.known ? "The guess is " + found["class"] + ", " + percent(found.probability) + ". " : "No guess. ") + (shown.around ? shown.around.text : ""));
  }

  // the classes

  function classes(found) {
    var list = found.map(function (c) { return c.name; });
    var same = list.join("\n") === names.join("\n") && at("classes").childElementCount === list.length;
    names = list;
    if (!same) {
      at("classes").replaceChildren();
      found.forEach(function (c, i) {
        var button = document.createElement("button"), key = document.createElement("kbd");
        button.type = "button";
        button.className = draw.colour(i);
        button.dataset.name = c.name;
        key.textContent = i < 9 ? String(i + 1) : "";
        if (i < 9) {
          button.append(key, " ");
          button.setAttribute("aria-keyshortcuts", String(i + 1));
        }
        button.append(c.name);
        button.addEventListener("click", function () { answer("label", c.name); });
        at("classes").appendChild(button);
      });
      sift();
    }
  }

  function sift() {
    var words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean), open = [];
    document.querySelectorAll("#classes button").forEach(function (button) {
      var text = button.dataset.name.toLowerCase();
      button.hidden = !words.every(function (word) { return text.includes(word); });
      if (!button.hidden) open.push(button);
    });
    return open;
  }

  // answers

  function answer(kind, value) {
    if (!shown || busy) return;
    if (value === null && kind !== "skip" && kind !== "unsure") return;
    var card = shown;
    alarm("");
    answered[card.ticket] = true;
    busy = true;
    document.body.classList.add("busy");
    clearTimeout(impatient);
    impatient = setTimeout(goOn, SLOW);
    talk.send("/api/answer", {node: card.node, kind: kind, value: value, ticket: card.ticket, annotator: last && last.annotator});
    if (at("filter").value) { at("filter").value = ""; sift(); }
    if (document.activeElement === at("filter")) at("filter").blur();
  }

  function free() {
    clearTimeout(impatient);
    busy = false;
    document.body.classList.remove("busy");
  }

  function goOn() {  // nobody replies: with the nodes that are here already
    ahead = ahead.filter(function (card) { return !answered[card.ticket]; });
    if (!ahead.length) return;
    free();
    show(ahead.shift());
    announce();
  }

  function reply(said, left) {
    var moved = shown && !answered[shown.ticket] && busy === false && said.replay !== true && said.answered !== undefined;
    if (left) { state(said); return; }
    state(said);
    if (moved) {  // somebody went on while this was on its way
      ahead = [said.card].concat(said.ahead || []).filter(function (card) { return card && card.node !== shown.node; });
      return;
    }
    free();
    answered = {};
    ahead = said.ahead || [];
    show(said.card);
    if (said.card) announce();
    else finished(said);
    if (said.undone) say("Taken back: " + said.undone + ". " + at("said").textContent);
  }

  function finished(said) {
    var p = said.progress;
    at("done").hidden = false;
    at("done-text").textContent = p.answered + " of " + p.nodes + " nodes answered"
      + (p.skipped ? ", " + p.skipped + " skipped" : "") + (p.unsure ? ", " + p.unsure + " that you cannot tell" : "")
      + (p.elsewhere ? ", " + p.elsewhere + " with other annotators just now" : "") + ". The exports are below.";
    at("again").hidden = !p.skipped;
    at("title").textContent = "";
    say("Nothing is left to ask. " + at("done-text").textContent);
  }

  // how it goes

  function state(said) {
    last = said;
    classes(said.classes);
    var p = said.progress;
    at("project").textContent = said.project;
    document.title = said.project + " · graphol label";
    at("bar").max = Math.max(p.nodes, 1);
    at("bar").value = p.answered;
    at("count").textContent = p.answered + " of " + p.nodes + " answered";
    at("undo").disabled = !said.undo;
    at("redo").disabled = !said.redo;
    at("error").textContent = p.error
      ? "The model's own guesses: " + percent(p.error.value) + " wrong (" + percent(p.error.low) + " to " + percent(p.error.high) + ") of " + p.guesses
        + ", each made before its answer."
      : "The model's own guesses: " + many(p.guesses, "guess").replace("guesss", "guesses") + " so far, too few to tell.";
    draw.curve(at("curve"), p.curve || [], p.error);
    at("rest").textContent = p.rest
      ? "Of the nodes without an answer it guesses about " + percent(p.rest.value) + " right (" + percent(p.rest.low) + " to " + percent(p.rest.high)
        + "), by " + many(p.checks, "check") + ": nodes drawn at random. Those that are asked are harder."
      : "How many of the rest it guesses right: too early to tell, " + many(p.checks, "check") + " so far.";
    left();
    var people = said.annotators || [];
    at("people").textContent = people.length ? "Answers by " + people.map(function (a) { return a.name + ": " + a.answers; }).join(", ") + "." : "";
    var found = said.disagreements || [];
    at("disagree").hidden = !found.length;
    at("disagree-title").textContent = many(found.length, "node") + (said.more_disagreements ? " or more" : "") + " on which annotators disagree";
    at("votes").replaceChildren();
    found.forEach(function (each) {
      var row = document.createElement("tr");
      [each.title, each.votes.map(function (v) { return v[0] + ": " + v[1]; }).join("; ")].forEach(function (text) {
        var cell = document.createElement("td");
        cell.textContent = text;
        row.appendChild(cell);
      });
      at("votes").appendChild(row);
    });
    if (document.activeElement !== at("who")) at("who").value = said.annotator;
  }

  function left() {
    var wanted = parseFloat(at("target").value);
    var found = ((last && last.progress.left) || []).filter(function (l) { return Math.abs(l.target - wanted) < 1e-9; })[0];
    var text = "too early to tell";
    if (found) {
      if (found.answers === 0 && found.high === 0) text = "none: they probably are already";
      else if (found.answers === null) text = found.why + (found.low ? "; at least " + found.low : "");
      else text = "about " + found.answers + " (" + (found.low === null ? "?" : found.low) + " to " + (found.high === null ? "all" : found.high) + ")";
    }
    at("left").textContent = text;
  }

  // talking

  talk.on.reply = reply;
  talk.on.state = function (connected, waiting, reason) {
    at("link").textContent = connected ? "" : reason && reason.status === 401
      ? "The server was started anew: open the address that it printed. " + many(waiting, "answer") + " kept here."
      : "No connection. " + many(waiting, "answer") + " kept here, to be sent again.";
    if (!connected) goOn();
  };
  talk.on.refused = function (text) {
    free();
    alarm("Not taken: " + text);
    load();
  };

  function load() {
    talk.ask("GET", "/api/next").then(function (said) {
      talk.open(said.id);
      if (talk.left()) state(said);
      else reply(said, 0);
    }, function (reason) {
      at("link").textContent = reason.status === 401 ? reason.text : "No connection; trying again.";
      if (reason.lost) setTimeout(load, 2000);
      else alarm(reason.text);
    });
  }

  function post(path, body, done) {
    if (busy) return;
    alarm("");
    body.token = Math.random().toString(36).slice(2) + Date.now().toString(36);
    talk.ask("POST", path, body).then(function (said) { if (done) done(); reply(said, 0); }, function (reason) { alarm(reason.text); });
  }

  function back(path) { if (!busy && !talk.left()) { busy = true; talk.send(path, {annotator: last && last.annotator}); } }
  function adding(open) {
    at("new").hidden = !open;
    at("add").setAttribute("aria-expanded", String(open));
    if (open) at("name").focus();
    else { at("name").value = ""; at("add").focus(); at("add").blur(); }
  }
  function create() {
    var name = at("name").value.trim();
    if (name) post("/api/classes", {name: name}, function () { adding(false); });
  }
  function toggle() { ask(); announce(); }

  at("yes").addEventListener("click", function () { answer("bit", [bitClass(), true]); });
  at("no").addEventListener("click", function () { answer("bit", [bitClass(), false]); });
  at("skip").addEventListener("click", function () { answer("skip", null); });
  at("unsure").addEventListener("click", function () { answer("unsure", null); });
  at("undo").addEventListener("click", function () { back("/api/undo"); });
  at("redo").addEventListener("click", function () { back("/api/redo"); });
  at("add").addEventListener("click", function () { adding(at("new").hidden); });
  at("create").addEventListener("click", create);
  at("cancel").addEventListener("click", function () { adding(false); });
  at("name").addEventListener("keydown", function (event) { if (event.key === "Enter") create(); });
  at("bits").addEventListener("change", toggle);
  at("again").addEventListener("click", function () { post("/api/again", {}); });
  at("target").addEventListener("change", left);
  at("filter").addEventListener("input", sift);
  at("filter").addEventListener("keydown", function (event) {
    var open = sift();
    if (event.key === "Enter" && open.length === 1) answer("label", open[0].dataset.name);
  });
  at("call").addEventListener("click", function () { post("/api/annotator", {name: at("who").value}, function () { at("call").blur(); }); });
  at("who").addEventListener("keydown", function (event) { if (event.key === "Enter") at("call").click(); });

  document.addEventListener("keydown", function (event) {
    var inside = event.target, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(inside.tagName) && inside.type !== "checkbox";
    if (event.key === "Escape") {
      if (!at("new").hidden) adding(false);
      else if (typing) inside.blur();
      return;
    }
    if (typing || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    var key = event.key.length === 1 ? event.key.toLowerCase() : event.key, done = true;
    if (event.repeat) { if (key.length === 1) event.preventDefault(); return; }
    if (/^[1-9]$/.test(key) && !at("bits").checked) { if (names.length >= +key) answer("label", names[+key - 1]); }
    else if (key === "y" && at("bits").checked) at("yes").click();
    else if (key === "n" && at("bits").checked) at("no").click();
    else if (key === "s") at("skip").click();
    else if (key === "u" || key === "?") at("unsure").click();
    else if (key === "z") at("undo").click();
    else if (key === "r") at("redo").click();
    else if (key === "a") adding(true);
    else if (key === "m") { at("bits").checked = !at("bits").checked; toggle(); }
    else if (key === "/" && !at("filter-row").hidden) at("filter").focus();
    else done = false;
    if (done) event.preventDefault();
  });

  if (location.search) history.replaceState(null, "", "/");
  load();
})();
