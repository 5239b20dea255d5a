// What scrolls can be reached by the keyboard, at every width, and the search has a name.
const reach = () => {
  for (const part of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .drawing"))
    if (!part.hasAttribute("tabindex")) part.tabIndex = 0;
  const search = document.querySelector(".md-search");
  if (search && !search.ariaLabel) search.setAttribute("aria-label", "Search");
};
reach();
new MutationObserver(reach).observe(document.body, { attributeFilter: ["tabindex"], childList: true, subtree: true });
// The playground opens where its link stands. Other ways to open a link stay as they are.
if (window.self !== window.top) document.documentElement.classList.add("inside");
for (const link of document.querySelectorAll("a.here"))
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const frame = Object.assign(document.createElement("iframe"), { src: link.href, title: "Playground", className: "here" });
    link.closest("p").after(frame);
    link.remove();
    frame.focus();
  });
