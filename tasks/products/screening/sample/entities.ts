import {
  createEntity,
  type EntityType,
  type Family,
  type Identifier,
  type ListedEntity,
  type NameType,
} from '../entity.ts'

/** What an invented entry has beside its names. */
type Facts = Partial<Omit<ListedEntity, 'names' | 'sourceId' | 'type' | 'families'>>

const NAME_MARKS: Readonly<Record<string, NameType>> = {
  ...{ '=': 'strong-aka', '?': 'weak-aka', '<': 'fka', '~': 'transliteration' },
}

/** Names are told apart by the mark before them; the first has none. */
function invent(
  id: string,
  type: EntityType,
  family: Family,
  names: readonly string[],
  facts: Facts = {},
): ListedEntity {
  const listed = names.map(name => {
    const mark = NAME_MARKS[name[0]!]
    return mark ? { name: name.slice(1), type: mark } : { name, type: 'primary' as const }
  })
  const remarks = 'Invented for trials.'
  return {
    ...createEntity(id, type, [family]),
    names: listed,
    remarks,
    topics: [family === 'pep' ? 'role.pep' : 'sanction'],
    ...facts,
  }
}

function id(type: Identifier['type'], value: string, country?: string): Identifier {
  return { type, value, ...(country && { country }) }
}

function office(title: string, country: string, from: string, to?: string) {
  return [{ title, country, from, ...(to && { to }) }]
}

/** People of countries that do not exist would test no codes, so the countries are real and nothing else is. */
export const SAMPLE: readonly ListedEntity[] = [
  invent('s-1', 'person', 'sanctions', ['Zorblatt Quexington', '=Zorblat Kwexington', '?The Baron'], {
    dob: ['1961-04-17'],
    gender: 'male',
    nationalities: ['GB'],
    identifiers: [id('passport', 'XQ000001', 'GB')],
    programs: ['SAMPLE-A'],
    listedOn: '2019-05-01',
  }),
  invent('s-2', 'person', 'sanctions', ['Владислав Имажинаров', '~Vladislav Imazhinarov', '=Vlad Imaginarov'], {
    dob: ['1970-11-02'],
    gender: 'male',
    nationalities: ['RU'],
    birthPlaces: ['Vydumansk'],
    programs: ['SAMPLE-B'],
  }),
  invent(
    's-3',
    'person',
    'sanctions',
    ['محمد عبد الرحمن الخيالي', '~Mohammed Abdul Rahman al-Khayali', '=Muhamad Abdelrahman El Khaiali'],
    {
      dob: ['1958'],
      gender: 'male',
      nationalities: ['SY', 'LB'],
      identifiers: [id('national-id', '000-1111-2222', 'SY')],
    },
  ),
  invent('s-4', 'person', 'sanctions', ['Qadir bin Wahmi al-Sarabi', '=Abu Sarab', '?Abu Nobody'], {
    dob: ['1975-03', '1976'],
    gender: 'male',
    nationalities: ['IQ'],
  }),
  invent('s-5', 'person', 'sanctions', ['虚构山', '~Xu Goushan', '=Hsu Kou-shan'], {
    dob: ['1966-08-08'],
    gender: 'male',
    nationalities: ['CN'],
  }),
  invent('s-6', 'person', 'sanctions', ['김가상', '~Kim Kasang', '=Gim Ga-sang'], {
    dob: ['1972-01-31'],
    gender: 'male',
    nationalities: ['KP'],
    identifiers: [id('passport', '999000111', 'KP')],
  }),
  invent('s-7', 'person', 'sanctions', ['Ασημάκης Φανταστόπουλος', '~Asimakis Fantastopoulos'], {
    dob: ['1955-12-24'],
    gender: 'male',
    nationalities: ['GR'],
  }),
  invent('s-8', 'person', 'sanctions', ['בדיון בן דמיון', '~Bidyon Ben Dimyon'], {
    dob: ['1980-06-15'],
    gender: 'male',
    nationalities: ['IL'],
  }),
  invent('s-9', 'person', 'sanctions', ['Fictoria Nonexista y Invento', '=Fictoria Nonexista'], {
    dob: ['1983-02-28'],
    gender: 'female',
    nationalities: ['MX'],
    addresses: ['Calle Inexistente 0, Ciudad de Nada'],
  }),
  invent('s-10', 'person', 'sanctions', ['Nikanor Vymyslov', '=Никанор Вымыслов', '<Nikanor Pridumov'], {
    dob: ['1969-09-09'],
    gender: 'male',
    nationalities: ['BY'],
  }),
  invent('s-11', 'person', 'sanctions', ['Ubu Makebelieve Okoyeze', '=Ubu M. Okoyeze'], {
    dob: ['1964'],
    gender: 'male',
    nationalities: ['NG'],
  }),
  invent('s-12', 'person', 'sanctions', ['Thaddeus van der Leeghoofd', '=T. Leeghoofd'], {
    dob: ['1948-07-04'],
    gender: 'male',
    nationalities: ['NL'],
  }),
  invent('s-13', 'person', 'sanctions', ['Mirabel Phantasmagore'], {
    dob: ['1990-10-31'],
    gender: 'female',
    nationalities: ['FR'],
  }),
  invent('s-14', 'person', 'sanctions', ['काल्पनिक शून्यवाला', '~Kalpanik Shunyawala'], {
    dob: ['1962-05-05'],
    gender: 'male',
    nationalities: ['IN'],
  }),
  invent('s-15', 'person', 'sanctions', ['Կարապետ Հնարյան', '~Karapet Hnaryan'], {
    dob: ['1977-07-17'],
    gender: 'male',
    nationalities: ['AM'],
  }),
  invent('s-16', 'person', 'sanctions', ['გამოგონილ ზღაპრიძე', '~Gamogonil Zghapridze'], {
    dob: ['1959-01-19'],
    gender: 'male',
    nationalities: ['GE'],
  }),
  invent('o-1', 'organization', 'sanctions', ['Nowhere Trading LLC', '=OOO Nouver Treyding', '?Nowhere'], {
    countries: ['AE'],
    identifiers: [id('registration', 'NWT-000-001', 'AE'), id('tax', '000000000001')],
    programs: ['SAMPLE-C'],
  }),
  invent(
    'o-2',
    'organization',
    'sanctions',
    ['ООО «Вымышленный Экспорт»', '~OOO Vymyshlenny Eksport', '=Fictional Export Limited Liability Company'],
    { countries: ['RU'], identifiers: [id('tax', '0000000002', 'RU')] },
  ),
  invent('o-3', 'organization', 'sanctions', ['Imaginary Shipping & Logistics GmbH'], {
    countries: ['DE'],
    identifiers: [id('lei', '0000SAMPLE00000INVENT')],
  }),
  invent('o-4', 'organization', 'sanctions', ['Banco de la Nada S.A.', '=Bank of Nothing'], {
    countries: ['PA'],
    identifiers: [id('swift', 'NADAPAPAXXX')],
  }),
  invent('o-5', 'organization', 'sanctions', ['Brigade of the Paper Moon', '=Liwa al-Qamar al-Waraqi', '?Moonmen'], {
    countries: ['SY'],
  }),
  invent('o-6', 'organization', 'sanctions', ['Unreal Dynamics Corporation', '<Surreal Dynamics Inc.'], {
    countries: ['KP'],
  }),
  invent(
    'o-7',
    'organization',
    'sanctions',
    ['无中生有有限公司', '~Wuzhongshengyou Co., Ltd.', '=Something From Nothing Ltd'],
    { countries: ['CN'] },
  ),
  invent('o-8', 'organization', 'sanctions', ['Phantom Coin Exchange'], {
    identifiers: [
      id('crypto', '1SampLeWaLLetDoesNotExistXXXXXXX'),
      id('crypto', '0x00000000000000000000000000000000005a3b1e'),
    ],
  }),
  invent('v-1', 'vessel', 'sanctions', ['MV FLYING DUTCHCAT', '<MV GHOST KITTEN'], {
    countries: ['KM'],
    identifiers: [id('imo', 'IMO 0000001'), id('mmsi', '000000001')],
  }),
  invent('v-2', 'vessel', 'sanctions', ['OCEAN MIRAGE 7'], {
    countries: ['PA'],
    identifiers: [id('imo', 'IMO 0000002')],
  }),
  invent('v-3', 'vessel', 'sanctions', ['OCEAN MIRAGE 8'], {
    countries: ['PA'],
    identifiers: [id('imo', 'IMO 0000003')],
  }),
  invent('a-1', 'aircraft', 'sanctions', ['EP-ZZZ', '=Nothing Air A300 ZZZ'], {
    countries: ['IR'],
    identifiers: [id('registration', 'EP-ZZZ')],
  }),
  invent('a-2', 'aircraft', 'sanctions', ['YI-NIL'], {
    countries: ['IQ'],
    identifiers: [id('registration', 'YI-NIL')],
  }),
  invent('p-1', 'person', 'pep', ['Augusta Ficticia Romanova-Smythe', '=Augusta Smythe'], {
    dob: ['1960-08-12'],
    gender: 'female',
    nationalities: ['CA'],
    positions: office('Minister of Imaginary Affairs', 'CA', '2015', '2019'),
  }),
  invent('p-2', 'person', 'pep', ['Bartholomew Nullington'], {
    dob: ['1952'],
    gender: 'male',
    nationalities: ['AU'],
    positions: office('Senator', 'AU', '2010'),
  }),
  invent('p-3', 'person', 'pep', ['Çelebi Hayalioğlu', '=Celebi Hayalioglu'], {
    dob: ['1967-02-14'],
    gender: 'male',
    nationalities: ['TR'],
    positions: office('Mayor of Yokşehir', 'TR', '2018'),
  }),
  invent('p-4', 'person', 'pep', ['Gintarė Išgalvotaitė'], {
    dob: ['1979-12-01'],
    gender: 'female',
    nationalities: ['LT'],
    positions: office('Judge of the Court of Fables', 'LT', '2020'),
  }),
  invent('p-5', 'person', 'pep', ['ただの そらごと', '~Tadano Soragoto'], {
    dob: ['1950-05-03'],
    gender: 'male',
    nationalities: ['JP'],
    positions: office('Member of the Diet', 'JP', '2005', '2017'),
  }),
  invent('p-6', 'person', 'pep', ['Zdzisława Wymyślińska', '=Zdzislawa Wymyslinska'], {
    dob: ['1971-03-22'],
    gender: 'female',
    nationalities: ['PL'],
    positions: office('Ambassador', 'PL', '2016'),
  }),
  invent('p-7', 'person', 'pep', ['Олександр Вигаданенко', '~Oleksandr Vyhadanenko', '=Alexander Vigadanenko'], {
    dob: ['1974-10-10'],
    gender: 'male',
    nationalities: ['UA'],
    positions: office('Deputy', 'UA', '2012'),
  }),
  invent('p-8', 'person', 'pep', ['Kwabena Nsemhunu'], {
    dob: ['1956'],
    gender: 'male',
    nationalities: ['GH'],
    positions: office('Governor of the Bank', 'GH', '2009', '2013'),
  }),
  invent('p-9', 'person', 'pep', ['Đặng Văn Không Có', '=Dang Van Khong Co'], {
    dob: ['1963-09-02'],
    gender: 'male',
    nationalities: ['VN'],
    positions: office('Party secretary', 'VN', '2014'),
  }),
  invent('p-10', 'person', 'pep', ['Søren Ingenmand-Æbelø', '=Soeren Ingenmand'], {
    dob: ['1965-06-05'],
    gender: 'male',
    nationalities: ['DK'],
    positions: office('State auditor', 'DK', '2011'),
  }),
  invent('p-11', 'person', 'pep', ['José María de la Nada Pérez', '=Pepe Nada'], {
    dob: ['1957-01-06'],
    gender: 'male',
    nationalities: ['ES'],
    positions: office('Regional president', 'ES', '2003', '2011'),
  }),
]
