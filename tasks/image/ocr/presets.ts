/** `layout` is Tesseract's page segmentation mode: 3 automatic, 7 a single line, 11 sparse text. */
export const PRESETS = {
  document: { layout: 3, enlarge: 1, invert: false, stretch: false },
  photo: { layout: 11, enlarge: 1, invert: false, stretch: true },
  screenshot: { layout: 3, enlarge: 2, invert: true, stretch: false },
  'single-line': { layout: 7, enlarge: 1, invert: true, stretch: false },
} as const
