"use strict";
// Films: a slider and a button for each life; every picture has its tick, action and rewards beneath it.
const films = JSON.parse(document.getElementById("films").textContent);
document.querySelectorAll(".life").forEach((life, number) => {
  const shots = films[number];
  const [image, now, button, slider] = ["img", ".now", "button", "input"].map((each) => life.querySelector(each));
  let timer = null;
  const show = () => {
    const [tick, action, controls, reward, returned, picture] = shots[Number(slider.value)];
    image.src = "data:image/png;base64," + picture;
    const what = tick === 0 ? "begins" : action + (controls ? ", " + controls : "");
    now.textContent = `tick ${tick}  ${what}  reward ${reward}  return ${returned}`;
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "play";
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(slider.value) === shots.length - 1) slider.value = "0";
    button.textContent = "pause";
    timer = setInterval(() => {
      slider.value = String(Number(slider.value) + 1);
      show();
      if (Number(slider.value) === shots.length - 1) stop();
    }, 120);
  });
  slider.addEventListener("input", () => { stop(); show(); });
  show();
});
