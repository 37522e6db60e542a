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
  const wrong = document.querySelector("li.wrong");
  if (wrong) {
    // A finding is read from its end: the sentence that is wrong, and the page on which it failed.
    const list = wrong.parentElement;
    list.scrollTop = wrong.offsetTop - list.offsetTop - 80;
    show(frames.length - 1);
    scrollTo(0, 0);
  }
})();
