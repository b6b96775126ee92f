// The chosen theme, before anything is painted. A browser that stores nothing follows the system.
try {
  const chosen = localStorage.getItem('elomill-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch { /* storage is forbidden: nothing was chosen */ }
