// What scrolls can be reached by the keyboard, at every width, and the search has a name.
const reach = () => {
  for (const part of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .drawing"))
    if (!part.hasAttribute("tabindex")) part.tabIndex = 0;
  const search = document.querySelector(".md-search");
  if (search && !search.ariaLabel) search.setAttribute("aria-label", "Search");
};
reach();
new MutationObserver(reach).observe(document.body, { attributeFilter: ["tabindex"], childList: true, subtree: true });
