import { createEntity, type EntityType, type Identifier, type ListedEntity } from '../entity.ts'
import { ListFault } from './fault.ts'
import {
  addAll,
  addIdentifier,
  addName,
  classifyIdentifier,
  joinParts,
  readCountries,
  readDates,
  readGender,
  unique,
} from './fields.ts'
import { type ListReader, readRows } from './files.ts'

const MAIN_COLUMNS = 12
const ADDRESS_COLUMNS = 6
const ALIAS_COLUMNS = 5
const COMMENT_COLUMNS = 2
const TYPES: Readonly<Record<string, EntityType>> = { individual: 'person', vessel: 'vessel', aircraft: 'aircraft' }

/** The lists of OFAC: four tables without headers, joined by their numbers. Most facts are in the remarks. */
export const readOfac: ListReader = async function* (files, names) {
  const [main, addresses, aliases, comments] = names as [string, string, string, string]
  const entities = new Map<string, ListedEntity>()
  for await (const cells of readRows(files.read(main), MAIN_COLUMNS)) {
    const entity = readEntry(cells.map(blank))
    entities.set(entity.sourceId, entity)
  }
  await addRows(entities, readRows(files.read(addresses), ADDRESS_COLUMNS), addAddress)
  await addRows(entities, readRows(files.read(aliases), ALIAS_COLUMNS), addAlias)
  await addRows(entities, readRows(files.read(comments), COMMENT_COLUMNS), (entity, [, comment]) => {
    entity.remarks = `${(entity.remarks ?? '').replace(/\.$/, '')} ${comment}`
  })
  for (const entity of entities.values()) {
    readRemarks(entity)
    yield entity
  }
}

function readEntry([
  number,
  name,
  type,
  program,
  title,
  callSign,
  ,
  ,
  ,
  flag,
  ,
  remarks,
]: readonly string[]): ListedEntity {
  if (!/^\d+$/.test(number!))
    throw new ListFault('The first column of the table is no number: the columns have changed.')
  const entity = createEntity(number!, TYPES[type!] ?? 'organization', ['sanctions'])
  addName(entity, name, 'primary')
  entity.programs = unique(program!.split(/[\][;]|\s{2,}/))
  entity.topics = ['sanction']
  if (title) entity.positions = [{ title }]
  entity.countries = readCountries([flag])
  addIdentifier(entity, 'registration', callSign)
  entity.remarks = remarks
  return entity
}

async function addRows(
  entities: ReadonlyMap<string, ListedEntity>,
  rows: AsyncIterable<string[]>,
  add: (entity: ListedEntity, cells: readonly string[]) => void,
): Promise<void> {
  for await (const cells of rows) {
    const entity = entities.get(cells[0]!)
    if (entity) add(entity, cells.map(blank))
  }
}

function addAddress(entity: ListedEntity, [, , address, city, country, remark]: readonly string[]): void {
  addAll(entity.addresses, [joinParts([address, city, country, remark], ', ')])
  addAll(entity.countries, readCountries([country]))
}

function addAlias(entity: ListedEntity, [, , type, name, remark]: readonly string[]): void {
  addName(entity, name, readAliasType(type!, remark!))
}

function readAliasType(type: string, remark: string) {
  if (/weak/i.test(remark)) return 'weak-aka'
  return /fka/i.test(type) ? 'fka' : 'strong-aka'
}

/** Cells without a value have a mark. */
function blank(cell: string): string {
  return cell === '-0-' ? '' : cell
}

/** `DOB 07 Oct 1954; nationality Russia; Passport 123 (Russia); a.k.a. 'THE COOK'.` */
function readRemarks(entity: ListedEntity): void {
  const remarks = entity.remarks?.trim() ?? ''
  entity.remarks = remarks === '' ? undefined : remarks
  for (const part of remarks.replace(/\.$/, '').split(/\s*;\s*/)) {
    const [, nickname] = /^(?:alt\. )?a\.k\.a\. ['"](.+)['"]$/i.exec(part) ?? []
    const [, kind, value = ''] =
      /^(?:alt\. )?(DOB|POB|nationality|citizen|Gender|Secondary sanctions risk:|Linked To:?)\s+(.+)$/i.exec(part) ?? []
    if (nickname) addName(entity, nickname, 'weak-aka')
    else if (kind) readFact(entity, kind.toLowerCase(), value)
    else readIdentifier(entity, part)
  }
}

function readFact(entity: ListedEntity, kind: string, value: string): void {
  if (kind === 'dob') addAll(entity.dob, readDates(value))
  else if (kind === 'pob') addAll(entity.birthPlaces, [value])
  else if (kind === 'nationality' || kind === 'citizen') addAll(entity.nationalities, readCountries([value]))
  else if (kind === 'gender') entity.gender = readGender(value)
}

const NUMBERED =
  /^(?:alt\. )?(.*?(?:No\.?|Number|Passport|IMO|MMSI|ID|Address - \w+|Code|LEI|BIC\)|NIT|RUC|C\.U\.R\.P\.|R\.F\.C\.)\s*#?)\s+((?:[A-Z]{1,4} )?[\w./-]{4,})(?:\s+\(([^)]+)\))?/

function readIdentifier(entity: ListedEntity, part: string): void {
  const [, kind, value, country] = NUMBERED.exec(part) ?? []
  if (!kind || !/\d/.test(value!)) return
  const type: Identifier['type'] = classifyIdentifier(kind)
  addIdentifier(entity, type, value, readCountries([country])[0])
}
