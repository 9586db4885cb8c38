// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("sluice.theme");
  if (/^(light|dark)$/.test(theme)) document.documentElement.dataset.theme = theme;
} catch { /* no storage */ }
