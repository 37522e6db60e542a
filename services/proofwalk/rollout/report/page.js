(() => {
  const frames = [...document.querySelectorAll("[data-frame]")];
  let at = 0;
  const show = (next) => {
    if (!frames.length) return;
    at = Math.max(0, Math.min(frames.length - 1, next));
    frames.forEach((frame, index) => frame.classList.toggle("current", index === at));
    frames[at].scrollIntoView({ block: "nearest", inline: "center" });
    frames[at].focus({ preventScroll: true });
  };
  addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") show(at + 1);
    else if (event.key === "ArrowLeft") show(at - 1);
    else return;
    event.preventDefault();
  });
  document.querySelectorAll("[data-go]").forEach((link) =>
    link.addEventListener("click", () => {
      const next = frames.findIndex((frame) => frame.dataset.frame === link.dataset.go);
      if (next >= 0) show(next);
    }),
  );
})();
