/** Scripts that fonts for Latin text lack and that have a font of their own, by Unicode name. */
const SCRIPTS = (
  'Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Brahmi ' +
  'Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Coptic Cuneiform Cypriot ' +
  'Deseret Devanagari Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic ' +
  'Grantha Gujarati Gunjala_Gondi Gurmukhi Hanifi_Rohingya Hanunoo Hatran Hebrew Imperial_Aramaic ' +
  'Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Kayah_Li Kharoshthi Khmer Khojki Khudawadi ' +
  'Lao Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen ' +
  'Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Hieroglyphs Meroitic_Cursive Miao Modi Mongolian ' +
  'Mro Multani Myanmar Nabataean New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian ' +
  'Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Oriya Osage Osmanya ' +
  'Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada ' +
  'Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa ' +
  'Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Wancho ' +
  'Warang_Citi Yezidi Yi Zanabazar_Square'
).split(' ')

/** Each script with a test for its characters. */
export const SCRIPT_TESTS = SCRIPTS.map(name => ({ name, test: new RegExp(`\\p{Script_Extensions=${name}}`, 'u') }))

export const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303F\uFF00-\uFFEF]/u

const PLAIN_SCRIPTS =
  'Common Inherited Latin Greek Cyrillic Han Hiragana Katakana Hangul Bopomofo Braille Nushu Tangut'.split(' ')

/** A character of a script that no font has, or of none at all. */
export const UNWRITTEN = new RegExp(
  `[^${[...PLAIN_SCRIPTS, ...SCRIPTS].map(name => `\\p{Script=${name}}`).join('')}]`,
  'gu',
)

/** The first character that no font of a full installation has, as far as its script tells. */
export function findUnwritten(text: string): string | undefined {
  return text.match(UNWRITTEN)?.[0]
}

/** The region whose forms of Chinese characters to use. */
export type HanVariant = 'JP' | 'KR' | 'SC' | 'TC'

export function detectHanVariant(text: string): HanVariant {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'JP'
  if (/\p{Script=Hangul}/u.test(text)) return 'KR'
  return /\p{Script=Bopomofo}/u.test(text) ? 'TC' : 'SC'
}
