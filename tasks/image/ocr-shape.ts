import { Problem } from '#kit'

/** By tesseract's numbers: its own judgement, letters anywhere, one line. */
export const PRESETS = {
  document: { layout: 3, enlarge: 1, invert: false, stretch: false },
  photo: { layout: 11, enlarge: 1, invert: false, stretch: true },
  screenshot: { layout: 3, enlarge: 2, invert: true, stretch: false },
  'single-line': { layout: 7, enlarge: 1, invert: true, stretch: false },
} as const

/** The names that others have for the languages, by those of the engine. */
const NAMES: Record<string, string> = {
  ar: 'ara',
  bg: 'bul',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nb: 'nor',
  nl: 'nld',
  no: 'nor',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sr: 'srp',
  sv: 'swe',
  th: 'tha',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'chi_sim',
  'zh-hant': 'chi_tra',
  'zh-hk': 'chi_tra',
  'zh-tw': 'chi_tra',
}

/** `de`, `de-AT` and `deu` are one; unknown ones are refused with what there is. */
export function languagesOf(asked: readonly string[], installed: readonly string[]): string[] {
  const available = installed.filter(name => name !== 'osd')
  const found = asked.map(language => {
    const tag = language.toLowerCase().replaceAll('_', '-')
    const names = [language, NAMES[tag.split('-').slice(0, 2).join('-')], NAMES[tag.split('-')[0]!]]
    const name = names.find(one => one !== undefined && available.includes(one))
    if (name === undefined) throw new Problem('LANGUAGE_UNSUPPORTED', { language, available })
    return name
  })
  return [...new Set(found)]
}

export type Box = readonly [left: number, top: number, right: number, bottom: number]

export interface Prepared {
  /** Of what was read, before it was turned. */
  width: number
  height: number
  region: { x: number; y: number; width: number; height: number }
}

/** Where a box of what was read lies in the picture as displayed. */
export function placedBack(box: Box, { width, height, region }: Prepared, rotation: number): number[] {
  const corners = [
    [box[0], box[1]],
    [box[2], box[3]],
  ].map(([x, y]) => turnedBack(x!, y!, width, height, rotation))
  const [across, down] = [region.width / width, region.height / height]
  const xs = corners.map(([x]) => Math.round(region.x + x! * across)).sort((a, b) => a - b)
  const ys = corners.map(([, y]) => Math.round(region.y + y! * down)).sort((a, b) => a - b)
  return [xs[0]!, ys[0]!, xs[1]!, ys[1]!]
}

function turnedBack(x: number, y: number, width: number, height: number, rotation: number): number[] {
  if (rotation === 90) return [y, height - x]
  if (rotation === 180) return [width - x, height - y]
  return rotation === 270 ? [width - y, x] : [x, y]
}
