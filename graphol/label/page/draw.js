"use strict";
// Pictures: the graph around a node, the key to it, the curve. Everything is made of elements and
// of text; nothing that the server says is ever read as HTML.
var draw = (function () {
  var SVG = "http://www.w3.org/2000/svg", SCALE = 96, COLOURS = 8;

  function put(parent, name, attributes, text) {
    var made = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function colour(number) { return "c" + (number % COLOURS); }

  function dot(parent, x, y, radius, number, known, label) {
    var group = put(parent, "g", number === null ? {} : {"class": colour(number)});
    var kind = number === null ? "" : known ? " known" : " guess";
    if (label) put(group, "title", {}, label);
    put(group, "circle", {cx: x, cy: y, r: radius, "class": "dot" + kind});
    if (number !== null)
      put(group, "text", {x: x, y: y, "class": "number" + kind}, String(number + 1));
    return group;
  }

  function classOf(node) { return node.known !== null ? node.known : node.guess; }

  function around(svg, found, names) {
    svg.replaceChildren();
    if (!found) return;
    var at = found.nodes.map(function (n) { return [n.x * SCALE, n.y * SCALE]; });
    found.edges.forEach(function (edge) {
      var a = at[edge[0]], b = at[edge[1]];
      put(svg, "line", {x1: a[0], y1: a[1], x2: b[0], y2: b[1], "class": edge[0] === 0 ? "edge own" : "edge"});
    });
    found.nodes.map(function (node, i) { return i; }).reverse().forEach(function (i) {
      var node = found.nodes[i], number = classOf(node), name = number === null ? "nothing known" : names[number];
      var how = node.known !== null ? "known" : "guessed";
      if (i === 0) put(svg, "circle", {cx: at[0][0], cy: at[0][1], r: 13, "class": "ring"});
      dot(svg, at[i][0], at[i][1], i === 0 ? 9.5 : node.ring === 1 ? 7.5 : 6, number, node.known !== null,
        node.title + ": " + name + (number === null ? "" : ", " + how));
    });
  }

  function legend(list, found, names) {
    list.replaceChildren();
    if (!found) return;
    var seen = {};
    found.nodes.forEach(function (node) {
      var number = classOf(node);
      if (number === null) return;
      seen[number] = seen[number] || [false, false];
      seen[number][node.known !== null ? 0 : 1] = true;
    });
    Object.keys(seen).map(Number).sort(function (a, b) { return a - b; }).forEach(function (number) {
      [true, false].forEach(function (known) {
        if (!seen[number][known ? 0 : 1]) return;
        var item = document.createElement("li"), svg = put(item, "svg", {viewBox: "-9 -9 18 18", "aria-hidden": "true"});
        dot(svg, 0, 0, 7.5, number, known);
        item.append(names[number] + (known ? ", known" : ", guessed"));
        list.appendChild(item);
      });
    });
  }

  function curve(svg, points, estimate) {
    svg.replaceChildren();
    svg.toggleAttribute("hidden", points.length < 2);
    if (points.length < 2) return;
    var last = points[points.length - 1][0], top = 0;
    points.forEach(function (p) { top = Math.max(top, p[1]); });
    top = Math.min(1, Math.max(0.1, Math.ceil(top * 10) / 10));
    var x = function (t) { return 34 + 256 * t / last; }, y = function (e) { return 78 - 68 * Math.min(e, top) / top; };
    if (estimate) put(svg, "rect", {x: 34, width: 256, y: y(estimate.high), height: Math.max(y(estimate.low) - y(estimate.high), 1), "class": "band"});
    put(svg, "line", {x1: 34, y1: 78, x2: 290, y2: 78, "class": "axis"});
    put(svg, "line", {x1: 34, y1: 10, x2: 34, y2: 78, "class": "axis"});
    put(svg, "text", {x: 30, y: 14, "class": "end"}, Math.round(100 * top) + " %");
    put(svg, "text", {x: 30, y: 80, "class": "end"}, "0");
    put(svg, "text", {x: 290, y: 92, "class": "end"}, last + " guesses");
    put(svg, "polyline", {points: points.map(function (p) { return x(p[0]).toFixed(1) + "," + y(p[1]).toFixed(1); }).join(" "), "class": "line"});
  }

  return {around: around, legend: legend, curve: curve, colour: colour, classOf: classOf};
})();
