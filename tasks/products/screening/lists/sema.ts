import { createEntity, type ListedEntity } from '../entity.ts'
import { addIdentifier, addName, joinParts, readCountries, readDates } from './fields.ts'
import { type ListReader, readXml } from './files.ts'
import { textOf, type XmlElement } from './xml.ts'

/** The Canadian list. Its entries have no ids, so the regulation with its schedule and item is one. */
export const readSema: ListReader = async function* (files, [name]) {
  for await (const record of readXml(files.read(name!), ['record'])) {
    const entity = readEntry(record)
    if (entity.names.length > 0) yield entity
  }
}

function readEntry(record: XmlElement): ListedEntity {
  const organization = textOf(record, 'EntityOrShip') || textOf(record, 'Entity')
  const imo = textOf(record, 'ShipIMONumber')
  const country = textOf(record, 'Country').split('/')[0]!.trim()
  const name = organization || joinParts([textOf(record, 'GivenName'), textOf(record, 'LastName')])
  const id = joinParts([country, textOf(record, 'Schedule'), textOf(record, 'Item'), name], '/')
  const entity = createEntity(id, imo ? 'vessel' : organization ? 'organization' : 'person', ['sanctions'])
  addName(entity, name, 'primary')
  for (const alias of textOf(record, 'Aliases').split(/[;,]/)) addName(entity, alias, 'strong-aka')
  entity.dob = readDates(textOf(record, 'DateOfBirthOrShipBuildDate') || textOf(record, 'DateOfBirth'))
  entity.countries = readCountries([country])
  entity.programs = [country].filter(Boolean)
  entity.topics = ['sanction']
  entity.listedOn = textOf(record, 'DateOfListing') || undefined
  addIdentifier(entity, 'imo', imo)
  return entity
}
