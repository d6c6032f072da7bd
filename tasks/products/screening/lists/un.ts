import { createEntity, type ListedEntity } from '../entity.ts'
import {
  addAll,
  addIdentifier,
  addName,
  classifyIdentifier,
  joinParts,
  readCountries,
  readDates,
  readGender,
} from './fields.ts'
import { type ListReader, readXml } from './files.ts'
import { childOf, childrenOf, textOf, type XmlElement } from './xml.ts'

/** The consolidated list of the Security Council. */
export const readUn: ListReader = async function* (files, [name], note) {
  const onStart = ({ name: tag, attributes }: XmlElement) => {
    if (tag === 'CONSOLIDATED_LIST' && attributes.dateGenerated) note(attributes.dateGenerated)
  }
  for await (const element of readXml(files.read(name!), ['INDIVIDUAL', 'ENTITY'], onStart)) yield readEntry(element)
}

function readEntry(element: XmlElement): ListedEntity {
  const isPerson = element.name === 'INDIVIDUAL'
  const entity = createEntity(textOf(element, 'DATAID'), isPerson ? 'person' : 'organization', ['sanctions'])
  const parts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'].map(part => textOf(element, part))
  addName(entity, parts.join(' '), 'primary')
  addName(entity, textOf(element, 'NAME_ORIGINAL_SCRIPT'), 'transliteration')
  for (const alias of childrenOf(element, `${element.name}_ALIAS`)) readAlias(entity, alias)
  for (const birth of childrenOf(element, 'INDIVIDUAL_DATE_OF_BIRTH')) readBirth(entity, birth)
  for (const place of childrenOf(element, 'INDIVIDUAL_PLACE_OF_BIRTH')) addAll(entity.birthPlaces, [joinTexts(place)])
  for (const document of childrenOf(element, 'INDIVIDUAL_DOCUMENT')) readDocument(entity, document)
  for (const address of childrenOf(element, `${element.name}_ADDRESS`)) {
    addAll(entity.addresses, [joinTexts(address)])
    addAll(entity.countries, readCountries([textOf(address, 'COUNTRY')]))
  }
  const valuesOf = (tag: string) => childrenOf(childOf(element, tag), 'VALUE').map(({ text }) => text)
  entity.nationalities = readCountries(valuesOf('NATIONALITY'))
  entity.positions = valuesOf('DESIGNATION').flatMap(title => (title ? [{ title }] : []))
  entity.programs = [textOf(element, 'UN_LIST_TYPE'), textOf(element, 'REFERENCE_NUMBER')].filter(Boolean)
  entity.topics = ['sanction']
  entity.gender = readGender(textOf(element, 'GENDER'))
  entity.remarks = textOf(element, 'COMMENTS1') || undefined
  // Some dates have the offset of New York behind them.
  entity.listedOn = textOf(element, 'LISTED_ON').slice(0, 10) || undefined
  return entity
}

function joinTexts({ children }: XmlElement): string {
  return joinParts(
    children.map(({ text }) => text),
    ', ',
  )
}

function readAlias(entity: ListedEntity, alias: XmlElement): void {
  const quality = textOf(alias, 'QUALITY').toLowerCase()
  const type = quality === 'low' ? 'weak-aka' : quality.startsWith('f') ? 'fka' : 'strong-aka'
  for (const name of textOf(alias, 'ALIAS_NAME').split(';')) addName(entity, name, type)
}

function readBirth(entity: ListedEntity, birth: XmlElement): void {
  const [from, to] = [textOf(birth, 'FROM_YEAR'), textOf(birth, 'TO_YEAR')]
  const text = textOf(birth, 'DATE') || textOf(birth, 'YEAR') || (from && `${from} to ${to}`)
  addAll(entity.dob, readDates(text))
}

function readDocument(entity: ListedEntity, document: XmlElement): void {
  const kind = joinParts([textOf(document, 'TYPE_OF_DOCUMENT'), textOf(document, 'TYPE_OF_DOCUMENT2')])
  const [country] = readCountries([textOf(document, 'ISSUING_COUNTRY'), textOf(document, 'COUNTRY_OF_ISSUE')])
  addIdentifier(entity, classifyIdentifier(kind), textOf(document, 'NUMBER'), country)
}
