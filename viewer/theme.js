// theme.js - light or dark: as the system says, until the user says otherwise

const STORED = 'tenon-theme';

export class Theme {
  constructor(scene, button) {
    this.scene = scene;
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.chosen = recall();
    this.system.addEventListener('change', () => this.apply());
    button.addEventListener('click', () => this.toggle());
    this.apply();
  }

  toggle() {
    this.chosen = this.scene.isDark ? 'light' : 'dark';
    remember(this.chosen);
    this.apply();
  }

  apply() {
    const isDark = this.chosen ? this.chosen === 'dark' : this.system.matches;
    this.scene.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    this.scene.emit('theme');
    this.scene.redraw();
  }
}

// A page from file:// may not be allowed to keep anything.
function recall() {
  try {
    const theme = localStorage.getItem(STORED);
    return theme === 'dark' || theme === 'light' ? theme : null;
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // the choice lasts as long as the page
  }
}
