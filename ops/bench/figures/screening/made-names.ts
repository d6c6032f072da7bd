import type { ListedEntity } from '../../../../tasks/products/screening/entity.ts'

/** Parts of which names of people are made, by culture; real given names, made surnames. */
interface Culture {
  country: string
  given: readonly string[]
  starts: readonly string[]
  middles: readonly string[]
  ends: readonly string[]
  /** Surnames have one part between start and end. */
  hasOneMiddle?: boolean
  /** Names that come between, such as those of fathers. */
  second: readonly string[]
}

function words(text: string): string[] {
  return text.split(' ')
}

const CULTURES: readonly Culture[] = [
  {
    country: 'RU',
    given: words(
      'Владимир Сергей Дмитрий Алексей Михаил Николай Андрей Юрий Григорий Евгений Фёдор Ярослав Вячеслав Татьяна Ольга Ксения Юлия Екатерина Наталья Жанна',
    ),
    starts: words('Кор Шев Бел Гор Жук Зай Лит Мор Наз Огур Пет Рог Сав Тих Уша Федь Хар Цвет Чер Щер'),
    middles: words('о и е у ень ал ич аш ов ер ин'),
    ends: words('ов ев ин енко ский чук цев шин'),
    second: words('Владимирович Сергеевич Дмитриевич Николаевич Юрьевич Михайлович Андреевич Игоревич'),
  },
  {
    country: 'SY',
    given: words(
      'محمد أحمد حسين علي عمر يوسف خالد إبراهيم مصطفى عبدالله سليمان طارق جمال فاطمة عائشة زينب مريم حسن سعيد ناصر',
    ),
    starts: words('خل دم رح سل شر صب طو عب غز فر قد كر ما نج هش وس زي حم بر جو'),
    middles: words('ا ي و'),
    ends: words('ني ري دي مي لي بي سي كي'),
    hasOneMiddle: true,
    second: words('محمود كريم رشيد سالم هاشم بدر فيصل'),
  },
  {
    country: 'GB',
    given: words(
      'James Robert Thomas Geoffrey Philip Stephen Christopher Catherine Elizabeth Rebecca Jonathan Matthew Nicholas Frederick Victoria Margaret Alistair Duncan Phoebe Harriet',
    ),
    starts: words('Ash Brad Clif Dun Ell Fair Grim Hal Ing Kirk Lang Mel Nor Oak Pem Rad Stan Thorn Wal York'),
    middles: words('er ing el en a al in or ish'),
    ends: words('ton ford ley wood ham worth by son well stead'),
    second: words('John William Henry Anne Rose George Edward Jane'),
  },
  {
    country: 'MX',
    given: words(
      'José Juan Jesús Francisco Alejandro Guadalupe Joaquín Rafael Ángel Héctor María Lucía Verónica Sofía Ximena Gonzalo Ramón Íñigo Zacarías Beatriz',
    ),
    starts: words(
      'Agui Bara Cald Domin Esco Fuen Guti Hino Jara Lara Mendi Nava Oliv Pala Quin Rome Sala Torr Vala Zamo',
    ),
    middles: words('l r n d rr lt nt z'),
    ends: words('ez era ado ano aga eda illo osa ales uro'),
    second: words('Antonio Manuel Carlos Luis Isabel Teresa Miguel'),
  },
  {
    country: 'TR',
    given: words(
      'Mehmet Mustafa Ahmet Hüseyin Çağlar Şükrü Gökhan Özgür İbrahim Ümit Ayşe Zeynep Gülşen Çiğdem Yıldız Orhan Tuğçe Barış Cengiz Eyüp',
    ),
    starts: words('Ak Boz Çel Dem Erd Gün Kar Kay Öz Sar Şah Taş Tun Uğur Yıl Yav Zor Bay Kor Gök'),
    middles: words('a e ı i u ü an er al or'),
    ends: words('oğlu taş demir kaya gül türk soy han ber'),
    second: words('Ali Can Nur Emre Kemal'),
  },
  {
    country: 'CN',
    given: words('伟 强 磊 洋 勇 军 杰 娟 艳 涛 明 超 秀英 国华 建平 志强 晓东 文博 海燕 天宇'),
    starts: words('王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗'),
    middles: [''],
    ends: [''],
    second: words('春 夏 秋 冬 云 雨 雪 风 山 江 金 玉 石 松 竹 梅'),
  },
]

/** A person of the list, with the parts that variants are made of. */
export interface MadePerson {
  culture: number
  given: string
  second?: string
  surname: string
  dob: string
}

export type Random = () => number

export function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[Math.floor(random() * values.length)]!
}

export function makePerson(random: Random): MadePerson {
  const culture = Math.floor(random() * CULTURES.length)
  const { given, second } = CULTURES[culture]!
  const surname = makeSurname(culture, random)
  const dob = `${1935 + Math.floor(random() * 70)}-${pad(1 + Math.floor(random() * 12))}-${pad(1 + Math.floor(random() * 28))}`
  const hasSecond = random() < 0.4
  return { culture, given: pick(given, random), surname, dob, ...(hasSecond && { second: pick(second, random) }) }
}

function makeSurname(culture: number, random: Random): string {
  const { starts, middles, ends, hasOneMiddle } = CULTURES[culture]!
  const between = hasOneMiddle ? pick(middles, random) : pick(middles, random) + pick(middles, random)
  return pick(starts, random) + between + pick(ends, random)
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** Chinese names are written surname first and without blanks. */
export function writeName({ culture, given, second, surname }: MadePerson): string {
  if (CULTURES[culture]!.country === 'CN') return surname + (second ?? '') + given
  return [given, second, surname].filter(Boolean).join(' ')
}

export function isHan({ culture }: MadePerson): boolean {
  return CULTURES[culture]!.country === 'CN'
}

/** Another person of the same culture who shares one name with this one. */
export function makeNamesake(person: MadePerson, random: Random): MadePerson {
  for (;;) {
    const other = { ...makePerson(random), culture: person.culture }
    const { given } = CULTURES[person.culture]!
    const fresh = makeSurname(person.culture, random)
    if (random() < 0.5) Object.assign(other, { surname: person.surname, given: pick(given, random) })
    else Object.assign(other, { given: person.given, surname: fresh })
    delete other.second
    if (other.surname !== person.surname || other.given !== person.given) return other
  }
}

export function toEntity(person: MadePerson, index: number): ListedEntity {
  const { country } = CULTURES[person.culture]!
  return {
    ...{
      sourceId: `made-${index}`,
      type: 'person',
      families: ['sanctions'],
      dob: [person.dob],
      nationalities: [country],
    },
    names: [{ name: writeName(person), type: 'primary' }],
    ...{
      countries: [],
      birthPlaces: [],
      identifiers: [],
      addresses: [],
      programs: [],
      topics: ['sanction'],
      positions: [],
    },
  }
}
