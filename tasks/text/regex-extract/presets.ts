const URL_SIGN = '[^\\s<>"\'`{}|\\\\^()[\\]]'

/** Of the languages that invoices and letters here are mostly in, with the English and German short forms. */
const MONTHS = [
  'jan(?:uary|uar|uari|vier|eiro|\\.)?|jänner|enero|gennaio',
  'feb(?:ruary|ruar|ruari|rero|braio|\\.)?|février|fevereiro',
  'mar(?:ch|s|zo|ço|\\.)?|märz|maart',
  'apr(?:il|ile|\\.)?|avril|abril',
  'may|mai|mayo|maggio|maio|mei',
  'june?|juni|juin|junio|giugno|junho',
  'july?|juli|juillet|julio|luglio|julho',
  'aug(?:ust|ustus|\\.)?|août|agosto',
  'sept?(?:ember|embre|iembre|\\.)?|settembre|setembro',
  'oct(?:ober|obre|ubre|\\.)?|okt(?:ober|\\.)?|ottobre|outubro',
  'nov(?:ember|embre|iembre|embro|\\.)?',
  'dec(?:ember|\\.)?|dez(?:ember|embro|\\.)?|décembre|diciembre|dicembre',
].join('|')
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '(?:19|20)\\d{2}'

/** Patterns for common searches. They are loose where an exact check would need more than a pattern. */
export const PRESETS = {
  email:
    "(?i)[\\pL\\pN_](?:[\\pL\\pN\\pM.!#$%&'*+/=?^_`{|}~-]{0,62}[\\pL\\pN\\pM_+-])?@(?:[\\pL\\pN](?:[\\pL\\pN\\pM-]{0,61}[\\pL\\pN\\pM])?\\.)+(?:[a-z]{2,63}\\b|xn--[a-z0-9-]{2,59}\\b|[\\p{Cyrillic}\\p{Greek}\\p{Arabic}\\p{Hebrew}\\p{Han}\\p{Hangul}\\p{Devanagari}\\p{Thai}\\p{Katakana}]{2,63})",
  // What ends a sentence is no part of an address, but brackets in pairs are.
  url: `(?i)\\bhttps?://(?:[.,;:!?()[\\]]*?(?:\\((?:${URL_SIGN}|\\(${URL_SIGN}*\\))*\\)|\\[${URL_SIGN}*\\]|[^\\s<>"'\`{}|\\\\^.,;:!?()[\\]]))+`,
  ipv4: '\\b(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\b',
  // Whatever could be a part of one: `refineIpv6` tells which are addresses.
  ipv6: '(?i)[0-9a-f.]*:[0-9a-f:.]*',
  // Written with a country code, an area code in brackets or after a zero, or as 555-123-4567: bare digits may be anything.
  phone:
    '\\+\\d{1,3}[ .-]?(?:\\(\\d{1,5}\\)[ .-]?)?\\d{1,5}(?:[ .-]?\\d{2,5}){3,5}\\b|\\(\\d{2,5}\\)[ .-]?\\d{3,4}[ .-]?\\d{3,5}\\b|\\b(?:1[ .-])?\\d{3}[ .-]\\d{3}[ .-]\\d{4}\\b|\\b0\\d{2}[ /-]\\d{3,8}(?:[ -]\\d{2,6}){0,2}\\b|\\b0\\d{3,4}[ /-]\\d{5,8}\\b|\\b0\\d(?:[ .-]\\d{2}){4}\\b',
  iban: '\\b[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\\b',
  date:
    `(?i)\\b(?:\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])|${DAY}[./](?:0?[1-9]|1[0-2]|[12]\\d|3[01])[./]${YEAR}|` +
    `${DAY}(?:\\.|st|nd|rd|th|er|º)?(?: of| de)? (?:${MONTHS})(?: de|,)? ${YEAR}|(?:${MONTHS}) ${DAY}(?:st|nd|rd|th)?,? ${YEAR})\\b`,
  uuid: '(?i)\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b',
  hashtag: '#[\\pL\\pN_]*[\\pL_][\\pL\\pN_]*',
  money:
    "(?:(?:USD|EUR|GBP|JPY|CHF|[$€£¥]) ?\\d{1,3}(?:[.,' ]?\\d{3})*(?:[.,]\\d{1,2})?|\\b\\d{1,3}(?:[.,' ]?\\d{3})*(?:[.,]\\d{1,2})? ?(?:USD|EUR|GBP|JPY|CHF|[€£¥]))",
  'eth-address': '\\b0x[0-9a-fA-F]{40}\\b',
} as const

type Preset = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as Preset[]
