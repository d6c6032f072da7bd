/** How letters of other alphabets are written in Latin letters, in the way that most passports and lists do. */
function pair(letters: string, latin: string): [string, string][] {
  const sounds = latin.split(' ')
  return [...letters].map((letter, index) => [letter, (sounds[index] ?? '').replace('-', '')])
}

const CYRILLIC = [
  ...pair(
    'абвгдежзийклмнопрстуфхцчшщъыьэюя',
    'a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya',
  ),
  ...pair('іїєґўђјљњћџѓќѕ', 'i yi ye g u dj j lj nj c dz g k dz'),
  ...pair('әғқңөұүһҷӣӯҳҡҫҙөӗ', 'a g k n o u u h j i u h k s z o e'),
]

const GREEK = [...pair('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o')]

const ARMENIAN = [
  ...pair(
    'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև',
    'a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r ts v p k o f ev',
  ),
]

const GEORGIAN = [
  ...pair(
    'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ',
    'a b g d e v z t i k l m n o p zh r s t u p k gh q sh ch ts dz ts ch kh j h',
  ),
]

/** Letters of Latin alphabets that have no decomposition, or are another sound with their mark. */
const LATIN = pair('ßæœøłđðþıħŋəʼšžč', 'ss ae oe o l d d th i h n a - sh zh ch')

export const ALPHABETS: ReadonlyMap<string, string> = new Map([
  ...CYRILLIC,
  ...GREEK,
  ...ARMENIAN,
  ...GEORGIAN,
  ...LATIN,
])

/** Arabic with the letters of Persian, Urdu, Pashto and Kurdish. Short vowels are rarely written. */
export const ARABIC: ReadonlyMap<string, string> = new Map([
  ...pair('ابتثجحخدذرزسشصضطظعغفقكلمنهى', 'a b t th j h kh d dh r z s sh s d t z a gh f q k l m n h a'),
  ...pair('ةءأإآؤئٱپچژگکیٹڈڑںہھےۀۆێڕڵېۍ', 'a - a i a u i a p ch zh g k y t d r n h h e a o e r l e i'),
  ...pair('\u064E\u064F\u0650\u0651\u0652\u064B\u064C\u064D\u0670', 'a u i - - an un in a'),
])

export const HEBREW: ReadonlyMap<string, string> = new Map([
  ...pair('אבגדהזחטכךלמםנןסעפףצץקרשת', 'a b g d h z h t k k l m m n n s a p p ts ts k r sh t'),
])
