"use strict";
(function () {
  function value(cell) {
    if (!cell) return null;
    if (cell.dataset.v !== undefined) return parseFloat(cell.dataset.v);
    var text = cell.textContent.trim();
    if (text === "") return null;
    return /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(text) ? parseFloat(text) : text.toLowerCase();
  }
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0);
  }
  document.querySelectorAll(".tablebox").forEach(function (box) {
    var table = box.querySelector("table"), body = table.tBodies[0];
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, i) {
      var button = head.querySelector("button");
      if (!button) return;
      head.setAttribute("aria-sort", "none");
      button.title = "Sort by this column";
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(function (each) {
          if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none");
        });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        Array.from(body.rows)
          .map(function (row, at) { return [value(row.cells[i]), at, row]; })
          .sort(function (a, b) { return compare(a[0], b[0], up ? 1 : -1) || a[1] - b[1]; })
          .forEach(function (each) { body.appendChild(each[2]); });
      });
    });
    if (!box.classList.contains("many")) return;
    var label = document.createElement("label"), input = document.createElement("input");
    var count = document.createElement("span"), rows = Array.from(body.rows);
    label.className = "filter";
    input.type = "search";
    input.placeholder = "part of any cell";
    count.setAttribute("aria-live", "polite");
    label.append("Filter rows", input, count);
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.includes(word); });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = words.length ? shown + " of " + rows.length : "";
    });
    box.insertBefore(label, box.querySelector(".scroll"));
  });
})();
