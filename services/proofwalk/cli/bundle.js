// Filters of a bundle's index. Without script the whole table is there, and no filter is.
(() => {
  const form = document.querySelector("form.filters");
  const rows = [...document.querySelectorAll("tbody tr")];
  const told = form.querySelector("output");
  const show = () => {
    const { outcome, target, text } = Object.fromEntries(new FormData(form));
    const words = text.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const fits =
        (!outcome || row.dataset.outcome === outcome) &&
        (!target || row.dataset.target === target) &&
        (!words || row.textContent.toLowerCase().includes(words));
      row.hidden = !fits;
      count += fits;
    }
    told.textContent = `${count} of ${rows.length}`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
