import { createEntity, type ListedEntity } from '../entity.ts'
import { addIdentifier, addName, joinParts, readCountries, readDates } from './fields.ts'
import { type ListReader, readXml } from './files.ts'
import type { XmlElement } from './xml.ts'

/** The Canadian list. Its entries have no ids, so the regulation with its schedule and item is one. */
export const readSema: ListReader = async function* (files, [name]) {
  for await (const record of readXml(files.read(name!), ['record'])) {
    const entity = readEntry(record)
    if (entity.names.length > 0) yield entity
  }
}

function readEntry(record: XmlElement): ListedEntity {
  const organization = readField(record, 'EntityOrShip') || readField(record, 'Entity')
  const imo = readField(record, 'ShipIMONumber')
  const country = readField(record, 'Country').split('/')[0]!.trim()
  const name = organization || joinParts([readField(record, 'GivenName'), readField(record, 'LastName')])
  const id = joinParts([country, readField(record, 'Schedule'), readField(record, 'Item'), name], '/')
  const entity = createEntity(id, imo ? 'vessel' : organization ? 'organization' : 'person', ['sanctions'])
  addName(entity, name, 'primary')
  for (const alias of readField(record, 'Aliases').split(/[;,\n]/)) addName(entity, alias, 'strong-aka')
  // Of a ship it is the date when it was built.
  if (!imo) entity.dob = readDates(readField(record, 'DateOfBirthOrShipBuildDate') || readField(record, 'DateOfBirth'))
  entity.countries = readCountries([country])
  entity.programs = [country].filter(Boolean)
  entity.topics = ['sanction']
  entity.listedOn = readField(record, 'DateOfListing') || undefined
  addIdentifier(entity, 'imo', imo)
  return entity
}

/** Newer files have the tags in both languages: `LastName-NomDeFamille`. */
function readField({ children }: XmlElement, name: string): string {
  return children.find(child => child.name.split('-')[0] === name)?.text ?? ''
}
