import { isHan, type MadePerson, pick, type Random, writeName } from './made-names.ts'

/**
 * Letters as other people write them than the matcher reads them: ISO 9 and German tables for Cyrillic, French ones with vowels
 * for Arabic, Wade-Giles for Chinese. Nothing here is shared with tasks/products/screening.
 */
function pair(letters: string, latin: string): Record<string, string> {
  const sounds = latin.split(' ')
  return Object.fromEntries([...letters].map((letter, at) => [letter, sounds[at]!.replace('-', '')]))
}

const GERMAN = pair(
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'a b w g d e jo sch s i j k l m n o p r s t u f ch z tsch sch schtsch - y - e ju ja',
)
const CROATIAN = pair(
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'a b v g d e e ž z i j k l m n o p r s t u f h c č š šč - y - e ju ja',
)
const FRENCH = pair(
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'a b v g d e io j z i i k l m n o p r s t ou f kh ts tch ch chtch - y - e iou ia',
)
const CYRILLIC = [GERMAN, CROATIAN, FRENCH]

const ARABIC_GIVEN: Record<string, readonly string[]> = {
  ...{
    محمد: ['Mohamed', 'Muhammad', 'Mehmed', 'Mohammad'],
    أحمد: ['Ahmed', 'Ahmad'],
    حسين: ['Hussein', 'Hossein', 'Houcine', 'Husayn'],
  },
  ...{ علي: ['Ali', 'Aly'], عمر: ['Omar', 'Umar'], يوسف: ['Youssef', 'Yusuf', 'Yousuf'], خالد: ['Khaled', 'Khalid'] },
  ...{
    إبراهيم: ['Ibrahim', 'Ebrahim', 'Brahim'],
    مصطفى: ['Mustafa', 'Mostafa', 'Moustapha'],
    عبدالله: ['Abdullah', 'Abdallah', 'Abdoullah'],
  },
  ...{
    سليمان: ['Sulayman', 'Soliman', 'Suleiman'],
    طارق: ['Tariq', 'Tarek', 'Tareq'],
    جمال: ['Jamal', 'Gamal', 'Djamal'],
  },
  ...{
    فاطمة: ['Fatima', 'Fatma', 'Fatimah'],
    عائشة: ['Aisha', 'Aicha', 'Ayesha'],
    زينب: ['Zeinab', 'Zaynab'],
    مريم: ['Maryam', 'Mariam'],
  },
  ...{
    حسن: ['Hassan', 'Hasan'],
    سعيد: ['Said', 'Saeed', 'Saïd'],
    ناصر: ['Nasser', 'Nasir'],
    محمود: ['Mahmoud', 'Mahmud'],
  },
  ...{ كريم: ['Karim', 'Kareem'], رشيد: ['Rashid', 'Rachid'], سالم: ['Salem', 'Salim'], هاشم: ['Hashim', 'Hachem'] },
  ...{ بدر: ['Badr', 'Bader'], فيصل: ['Faisal', 'Faysal', 'Fayçal'] },
}
const ARABIC = pair(
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإ',
  'a b t th dj h kh d dh r z s ch s d t z a gh f q k l m n h ou i a a a i',
)

const WADE_GILES: Record<string, string> = {
  ...{
    王: 'Wang',
    李: 'Li',
    张: 'Chang',
    刘: 'Liu',
    陈: "Ch'en",
    杨: 'Yang',
    赵: 'Chao',
    黄: 'Huang',
    周: 'Chou',
    吴: 'Wu',
  },
  ...{ 徐: 'Hsü', 孙: 'Sun', 胡: 'Hu', 朱: 'Chu', 高: 'Kao', 林: 'Lin', 何: 'Ho', 郭: 'Kuo', 马: 'Ma', 罗: 'Lo' },
}
const PINYIN: Record<string, string> = {
  ...{
    王: 'Wang',
    李: 'Li',
    张: 'Zhang',
    刘: 'Liu',
    陈: 'Chen',
    杨: 'Yang',
    赵: 'Zhao',
    黄: 'Huang',
    周: 'Zhou',
    吴: 'Wu',
  },
  ...{ 徐: 'Xu', 孙: 'Sun', 胡: 'Hu', 朱: 'Zhu', 高: 'Gao', 林: 'Lin', 何: 'He', 郭: 'Guo', 马: 'Ma', 罗: 'Luo' },
  ...{
    伟: 'wei',
    强: 'qiang',
    磊: 'lei',
    洋: 'yang',
    勇: 'yong',
    军: 'jun',
    杰: 'jie',
    娟: 'juan',
    艳: 'yan',
    涛: 'tao',
  },
  ...{
    明: 'ming',
    超: 'chao',
    秀: 'xiu',
    英: 'ying',
    国: 'guo',
    华: 'hua',
    建: 'jian',
    平: 'ping',
    志: 'zhi',
    晓: 'xiao',
  },
  ...{
    东: 'dong',
    文: 'wen',
    博: 'bo',
    海: 'hai',
    燕: 'yan',
    天: 'tian',
    宇: 'yu',
    春: 'chun',
    夏: 'xia',
    秋: 'qiu',
    冬: 'dong',
  },
  ...{
    云: 'yun',
    雨: 'yu',
    雪: 'xue',
    风: 'feng',
    山: 'shan',
    江: 'jiang',
    金: 'jin',
    玉: 'yu',
    石: 'shi',
    松: 'song',
  },
  ...{ 竹: 'zhu', 梅: 'mei' },
}

export const KINDS = ['same', 'latin', 'order', 'typo', 'initial', 'missing', 'joined'] as const
export type Kind = (typeof KINDS)[number]

/** A name as someone else writes it. Undefined where there is no such way of writing it. */
export function writeVariant(person: MadePerson, kind: Kind, random: Random): string | undefined {
  if (kind === 'same') return writeName(person)
  const parts = isHan(person) ? latiniseHan(person, random) : latinise(person, random)
  const [given, surname] = [parts[0]!, parts.at(-1)!]
  switch (kind) {
    case 'latin':
      return parts.join(' ')
    case 'order':
      return `${surname.toUpperCase()}, ${parts.slice(0, -1).join(' ')}`
    case 'typo':
      return parts.map((part, at) => (at === parts.length - 1 ? misspell(part, random) : part)).join(' ')
    case 'initial':
      return isHan(person) ? undefined : `${given[0]}. ${surname}`
    case 'missing':
      return parts.length > 2 ? `${given} ${surname}` : undefined
    case 'joined':
      return isHan(person) ? `${surname} ${given.replace(/[ -]/g, '')}` : undefined
  }
}

function latinise({ given, second, surname }: MadePerson, random: Random): string[] {
  const table = pick(CYRILLIC, random)
  return [given, second, surname]
    .filter(part => part !== undefined)
    .map(part => capitalise(latiniseWord(part, table, random)))
}

function latiniseWord(word: string, table: Record<string, string>, random: Random): string {
  const known = ARABIC_GIVEN[word]
  if (known) return pick(known, random)
  if (/[\u0600-\u06ff]/.test(word)) return vocalise(word, random)
  if (/[\u0400-\u04ff]/.test(word)) return [...word.toLowerCase()].map(letter => table[letter] ?? letter).join('')
  return random() < 0.5 ? word : word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ı', 'i')
}

/** Vowels that the script leaves out are put where a reader would. */
function vocalise(word: string, random: Random): string {
  const sounds = [...word].map(letter => ARABIC[letter] ?? '')
  return sounds.reduce((text, sound) => {
    const needsVowel = text !== '' && !/[aeiou]$/.test(text) && !/^[aeiou]/.test(sound)
    return text + (needsVowel ? pick(['a', 'e', 'i'], random) : '') + sound
  }, '')
}

function latiniseHan({ given, second = '', surname }: MadePerson, random: Random): string[] {
  const family = (random() < 0.2 ? WADE_GILES : PINYIN)[surname] ?? surname
  const syllables = [...second, ...given].map(character => PINYIN[character]!)
  return [capitalise(syllables.join(random() < 0.5 ? '' : '-')), family]
}

function capitalise(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** One letter more, less, another or two swapped, not at the start. */
function misspell(word: string, random: Random): string {
  const letters = [...word]
  const at = 1 + Math.floor(random() * Math.max(1, letters.length - 2))
  const letter = pick([...'aeionrstlm'], random)
  const kind = Math.floor(random() * 4)
  if (kind === 0) letters.splice(at, 1)
  else if (kind === 1) letters.splice(at, 0, letter)
  else if (kind === 2) letters[at] = letter
  else letters.splice(at, 2, letters[at + 1] ?? '', letters[at]!)
  return letters.join('')
}
