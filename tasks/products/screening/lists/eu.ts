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
  unique,
} from './fields.ts'
import { type ListReader, readXml } from './files.ts'
import { childOf, childrenOf, textOf, type XmlElement } from './xml.ts'

/** The consolidated financial sanctions of the EU, as XML 1.1. */
export const readEu: ListReader = async function* (files, [name], note) {
  const onStart = ({ name: tag, attributes }: XmlElement) => {
    if (tag === 'export' && attributes.generationDate) note(attributes.generationDate)
  }
  for await (const element of readXml(files.read(name!), ['sanctionEntity'], onStart)) yield readEntry(element)
}

function readEntry(element: XmlElement): ListedEntity {
  const { logicalId = '', designationDate, euReferenceNumber } = element.attributes
  const kind = childOf(element, 'subjectType')?.attributes
  const isPerson = kind?.code === 'person' || kind?.classificationCode === 'P'
  const entity = createEntity(euReferenceNumber || logicalId, isPerson ? 'person' : 'organization', ['sanctions'])
  childrenOf(element, 'nameAlias').forEach(({ attributes }, at) => {
    const { wholeName, firstName, middleName, lastName, strong, gender } = attributes
    const isStrong = strong !== 'false'
    addName(
      entity,
      wholeName || joinParts([firstName, middleName, lastName]),
      at === 0 && isStrong ? 'primary' : isStrong ? 'strong-aka' : 'weak-aka',
    )
    entity.gender ??= readGender(gender)
    if (attributes.function && entity.positions.length < 20) entity.positions.push({ title: attributes.function })
  })
  readPlaces(entity, element)
  for (const { attributes } of childrenOf(element, 'identification')) {
    const type = classifyIdentifier(
      `${attributes.identificationTypeDescription ?? ''} ${attributes.identificationTypeCode ?? ''}`,
    )
    addIdentifier(entity, type, attributes.number || attributes.latinNumber, codeOf(attributes)[0])
  }
  const regulation = childOf(element, 'regulation')
  entity.programs = unique([regulation?.attributes.programme, regulation?.attributes.numberTitle])
  entity.topics = ['sanction']
  entity.url = textOf(regulation, 'publicationUrl') || undefined
  entity.remarks = textOf(element, 'remark') || undefined
  entity.listedOn = designationDate || regulation?.attributes.entryIntoForceDate
  return entity
}

function readPlaces(entity: ListedEntity, element: XmlElement): void {
  for (const { attributes } of childrenOf(element, 'birthdate')) {
    addAll(entity.dob, readDates(attributes.birthdate || attributes.year || ''))
    addAll(entity.birthPlaces, [
      joinParts([attributes.city, attributes.place, attributes.region, attributes.countryDescription], ', '),
    ])
  }
  for (const { attributes } of childrenOf(element, 'citizenship')) addAll(entity.nationalities, codeOf(attributes))
  for (const { attributes } of childrenOf(element, 'address')) {
    addAll(entity.addresses, [
      joinParts(
        [attributes.street, attributes.poBox, attributes.zipCode, attributes.city, attributes.countryDescription],
        ', ',
      ),
    ])
    addAll(entity.countries, codeOf(attributes))
  }
}

/** Unknown countries have the code 00. */
function codeOf({ countryIso2Code }: Readonly<Record<string, string>>): string[] {
  return readCountries([countryIso2Code])
}
