/** Scripts in use today that fonts for Latin text lack, by Unicode name. */
const SCRIPTS = (
  'Arabic Armenian Balinese Bengali Buginese Canadian_Aboriginal Cham Cherokee Coptic Devanagari Ethiopic Georgian ' +
  'Gujarati Gurmukhi Hebrew Javanese Kannada Khmer Lao Lisu Malayalam Meetei_Mayek Mongolian Myanmar Nko New_Tai_Lue ' +
  'Ol_Chiki Oriya Runic Sinhala Sundanese Syriac Tagalog Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan ' +
  'Tifinagh Vai Yi'
).split(' ')

/** Each script with a test for its characters. */
export const SCRIPT_TESTS = SCRIPTS.map(name => ({ name, test: new RegExp(`\\p{Script_Extensions=${name}}`, 'u') }))

export const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303F\uFF00-\uFFEF]/u

/** The region whose forms of Chinese characters to use. */
export type HanVariant = 'JP' | 'KR' | 'SC' | 'TC'

export function detectHanVariant(text: string): HanVariant {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'JP'
  if (/\p{Script=Hangul}/u.test(text)) return 'KR'
  return /\p{Script=Bopomofo}/u.test(text) ? 'TC' : 'SC'
}
