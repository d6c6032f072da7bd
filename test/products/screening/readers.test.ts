import { expect, test } from 'vitest'
import type { ListedEntity } from '../../../tasks/products/screening/entity.ts'
import { ListFault } from '../../../tasks/products/screening/lists/fault.ts'
import { READERS } from '../../../tasks/products/screening/lists/readers.ts'
import { XmlRecords } from '../../../tasks/products/screening/lists/xml.ts'
import { findSource } from '../../../tasks/products/screening/sources.ts'
import {
  CSL_FILE,
  DFAT_FILE,
  EU_FILE,
  OFAC_FILES,
  SECO_FILE,
  SEMA_FILE,
  TARGETS_FILE,
  UK_FILE,
  UN_FILE,
} from './list-files.ts'

/** Reads files a few bytes at a time, so that every tag and letter is cut somewhere. */
async function read(key: string, text: string | Record<string, string>) {
  const source = findSource(key)!
  const names = source.files.map(({ name }) => name)
  const texts = typeof text === 'string' ? { [names[0]!]: text } : text
  async function* readChunks(name: string): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(texts[name] ?? '')
    const step = Math.max(7, Math.ceil(bytes.length / 2_000))
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const entities: ListedEntity[] = []
  let publishedAt: string | undefined
  const note = (time: string) => {
    publishedAt = time
  }
  for await (const entity of READERS[source.format]({ read: readChunks }, names, note)) entities.push(entity)
  return { entities, publishedAt }
}

test('the tables of OFAC are joined, and the remarks are read', async () => {
  const { entities } = await read('us_ofac_sdn', OFAC_FILES)
  expect(entities).toMatchObject([
    {
      ...{ sourceId: '1001', type: 'person', dob: ['1961-04-17', '1962'], gender: 'male', nationalities: ['RU'] },
      names: [
        { name: 'QUEXINGTON, Zorblatt', type: 'primary' },
        { name: 'KWEXINGTON, Zorblat', type: 'strong-aka' },
        { name: 'THE BARON', type: 'weak-aka' },
      ],
      identifiers: [{ type: 'passport', value: 'XQ000001', country: 'RU' }],
      programs: ['SAMPLE-A', 'SAMPLE-B'],
      countries: ['RU'],
    },
    {
      ...{ sourceId: '1002', type: 'organization', countries: ['AE'] },
      names: [{ name: 'NOWHERE TRADING LLC' }, { name: 'SOMEWHERE TRADING', type: 'fka' }],
      identifiers: [
        { type: 'tax', value: '000000000001', country: 'RU' },
        { type: 'crypto', value: '1SampLeWaLLet000' },
      ],
    },
    { sourceId: '1003', type: 'vessel', countries: ['PA'] },
  ])
  expect(entities[2]!.identifiers.map(({ type, value }) => [type, value])).toEqual([
    ['registration', 'ABCD1'],
    ['imo', '9000001'],
    ['mmsi', '352000001'],
  ])
})

test('the list of the UN is read with its aliases, births, documents and marks', async () => {
  const { entities, publishedAt } = await read('un_sc', UN_FILE)
  expect(publishedAt).toBe('2026-11-01T10:00:00Z')
  expect(entities).toMatchObject([
    {
      ...{ sourceId: '6900001', type: 'person', dob: ['1975', '1976'], nationalities: ['IQ'], listedOn: '2001-01-25' },
      names: [
        { name: 'QADIR BIN WAHMI', type: 'primary' },
        { name: 'قادر بن وهمي', type: 'transliteration' },
        { name: 'Abu Nobody', type: 'weak-aka' },
      ],
      identifiers: [{ type: 'passport', value: 'A0001', country: 'IQ' }],
      remarks: 'Father & son – invented.',
      positions: [{ title: 'Minister of <Fables>' }],
    },
    { sourceId: '6900002', type: 'organization', countries: ['SY'] },
  ])
})

test.each([
  [
    'eu_fsf',
    EU_FILE,
    {
      sourceId: 'EU.1.1',
      type: 'person',
      gender: 'male',
      dob: ['1970-11-02'],
      countries: ['BY'],
      url: 'https://example.test/r',
      names: [{}, { name: 'Vlad the Unreal', type: 'weak-aka' }],
      positions: [{ title: 'Clerk > chief' }],
    },
  ],
  [
    'uk_fcdo',
    UK_FILE,
    {
      sourceId: 'NWR0001',
      dob: ['1977-07-17', '1978'],
      nationalities: ['AM'],
      names: [
        { name: 'Karapet HNARYAN', type: 'primary' },
        { type: 'transliteration' },
        { name: 'Karo HNARIAN', type: 'weak-aka' },
      ],
    },
  ],
  [
    'us_csl',
    CSL_FILE,
    {
      sourceId: 'a1',
      type: 'organization',
      countries: ['KP'],
      names: [{}, { name: 'Surreal Dynamics' }, { name: 'UDC' }],
      identifiers: [{ type: 'registration', value: '123456', country: 'KP' }],
    },
  ],
  [
    'opensanctions',
    TARGETS_FILE,
    { sourceId: 'Q1', families: ['pep'], positions: [{ title: 'Minister of Fables' }], nationalities: ['CA'] },
  ],
  [
    'ch_seco',
    SECO_FILE,
    {
      sourceId: '7',
      dob: ['1959-01-19'],
      nationalities: ['GE'],
      listedOn: '2020-02-02',
      names: [
        { name: 'Gamogonil Zghapridze', type: 'primary' },
        { name: 'გამოგონილ ზღაპრიძე', type: 'transliteration' },
      ],
    },
  ],
  [
    'au_dfat',
    DFAT_FILE,
    {
      sourceId: '12',
      dob: ['1956'],
      nationalities: ['GH'],
      names: [{ type: 'primary' }, { name: 'Nsemhunu the Elder', type: 'strong-aka' }],
    },
  ],
  [
    'ca_sema',
    SEMA_FILE,
    {
      type: 'person',
      dob: ['1969-09-09'],
      countries: ['BY'],
      names: [{ name: 'Nikanor Vymyslov' }, { name: 'Nikanor Pridumov' }],
    },
  ],
])('the file of %s is read', async (key, file, first) => {
  const { entities } = await read(key, file)
  expect(entities[0]).toMatchObject(first)
})

const SECO_TARGET = (id: number, surname: string, changes: string) =>
  `<target ssid="${id}"><individual sex="male"><identity ssid="${id}1" main="true"><name name-type="primary-name">
<name-part order="1" name-part-type="given-name"><value>Nikto</value><spelling-variant script="LATN">Nicto</spelling-variant>
<spelling-variant script="CYRL">Никто</spelling-variant></name-part><name-part order="2" name-part-type="family-name"><value>${surname}</value>
<spelling-variant script="CYRL">Вымыслов</spelling-variant></name-part></name></identity></individual>${changes}</target>`

test('Swiss targets that are listed no more are left out, and spellings go together by their script', async () => {
  const change = (type: string, date: string, content = '') =>
    `<modification modification-type="${type}" effective-date="${date}">${content}</modification>`
  const past = `<removed>${SECO_TARGET(8, 'Removed', '')}</removed>`
  const file = `<swiss-sanctions-list list-type="whole-list" date="2026-11-04">${[
    SECO_TARGET(1, 'Vymyslov', change('amended', '2024-01-01', past) + change('listed', '2022-03-16')),
    SECO_TARGET(2, 'Gone', change('de-listed', '2025-02-02') + change('listed', '2022-03-16')),
    SECO_TARGET(
      3,
      'Back',
      change('listed', '2022-01-01') + change('de-listed', '2023-01-01') + change('listed', '2024-01-01'),
    ),
  ].join('')}</swiss-sanctions-list>`
  const { entities } = await read('ch_seco', file)
  expect(entities.map(({ sourceId }) => sourceId)).toEqual(['1', '3'])
  expect(entities[0]!.names.map(({ name }) => name)).toEqual(['Nikto Vymyslov', 'Никто Вымыслов'])
})

test('the Canadian list is read with tags in one language and in two, and a ship is not born', async () => {
  const file = `<data-set><record><Country-Pays>Belarus / Bélarus</Country-Pays><LastName-NomDeFamille>Vymyslov</LastName-NomDeFamille>
<GivenName-Prenom>Nikanor</GivenName-Prenom><Schedule-Annexe>1, Part 1</Schedule-Annexe><Item-NumeroDarticle>3</Item-NumeroDarticle>
<DateOfListing-DateDinscription>2020-09-28</DateOfListing-DateDinscription></record><record><Country>Russia</Country>
<EntityOrShip>OCEAN NOWHERE</EntityOrShip><DateOfBirthOrShipBuildDate>2004</DateOfBirthOrShipBuildDate><ShipIMONumber>9000003</ShipIMONumber>
<Schedule>2</Schedule><Item>9</Item></record></data-set>`
  const { entities } = await read('ca_sema', file)
  expect(entities).toMatchObject([
    { type: 'person', names: [{ name: 'Nikanor Vymyslov' }], programs: ['Belarus'], listedOn: '2020-09-28' },
    { type: 'vessel', dob: [], identifiers: [{ type: 'imo', value: '9000003' }] },
  ])
})

test('numbers of companies with letters before them, and dates with an offset, are read as they are published', async () => {
  const remarks = 'Registration ID HRB 00019 (Germany); NIT # 000049071-7 (Colombia)'
  const sdn = OFAC_FILES['sdn.csv']!.replace('Linked To: NOBODY', remarks)
  const [, company] = (await read('us_ofac_sdn', { ...OFAC_FILES, 'sdn.csv': sdn })).entities
  expect(company!.identifiers).toEqual(
    expect.arrayContaining([
      { type: 'registration', value: 'HRB 00019', country: 'DE' },
      { type: 'tax', value: '000049071-7', country: 'CO' },
    ]),
  )
  const un = UN_FILE.replace('<LISTED_ON>2001-01-25', '<LISTED_ON>2001-01-25-04:00')
  expect((await read('un_sc', un)).entities[0]!.listedOn).toBe('2001-01-25')
  const unknown = EU_FILE.replaceAll('countryIso2Code="BY"', 'countryIso2Code="00"')
  expect((await read('eu_fsf', unknown)).entities[0]!.countries).toEqual([])
})

test('an entity of several lines and one of two families are one entry each', async () => {
  expect((await read('uk_fcdo', UK_FILE)).entities.map(({ sourceId, type }) => [sourceId, type])).toEqual([
    ['NWR0001', 'person'],
    ['NWR0002', 'vessel'],
  ])
  expect((await read('opensanctions', TARGETS_FILE)).entities.map(({ families }) => families)).toEqual([
    ['pep'],
    ['sanctions', 'pep'],
  ])
})

const BOMB = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`

test.each([
  ['a truncated XML', 'un_sc', UN_FILE.slice(0, -30)],
  ['an XML that is there twice', 'un_sc', UN_FILE + UN_FILE.slice(UN_FILE.indexOf('?>') + 2)],
  ['a declared entity', 'un_sc', BOMB + UN_FILE.slice(UN_FILE.indexOf('?>') + 2)],
  ['an entity that nothing declares', 'un_sc', UN_FILE.replace('&amp;', '&bomb;')],
  ['an XML nested without end', 'un_sc', `<CONSOLIDATED_LIST>${'<a>'.repeat(1_000)}`],
  ['a tag without end', 'un_sc', `<CONSOLIDATED_LIST ${'x'.repeat(300_000)}`],
  ['a page of HTML', 'un_sc', '<html><body>Down for maintenance<br></body></html>'],
  ['a page of HTML for a table', 'uk_fcdo', '<html>\n<body>\nDown\n</body>\n</html>\nx\n'],
  ['other columns', 'uk_fcdo', UK_FILE.replace('Unique ID', 'Unique Identifier')],
  ['a column less', 'us_ofac_sdn', '1001,"QUEXINGTON, Zorblatt",individual,A,B,C\r\n'],
  ['an open quote', 'us_csl', `${CSL_FILE}b2,"open`],
  ['half a line of JSON', 'opensanctions', TARGETS_FILE.slice(0, -20)],
  ['a line that is no entry', 'opensanctions', '{"a":1}\n'],
  ['bytes that are no text', 'opensanctions', '{"id":"\ud800'],
])('%s is a fault of the file', async (_what, key, file) => {
  await expect(read(key, file)).rejects.toThrow(ListFault)
})

test('no piece of XML makes the reader keep more than a tag', () => {
  const reader = new XmlRecords(['record'])
  expect([...reader.write('<list>')]).toEqual([])
  for (let round = 0; round < 100; round++) expect([...reader.write('<other>text</other>'.repeat(1_000))]).toEqual([])
  expect([...reader.write('<record><a>1</a></record></list>')]).toMatchObject([{ children: [{ text: '1' }] }])
  reader.end()
})
