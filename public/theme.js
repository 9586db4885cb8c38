// Runs before the first paint, so that a chosen theme does not flash: the choice is kept in this browser only.
try {
  const theme = localStorage.getItem("sluice.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* no storage: the system's theme holds */ }
