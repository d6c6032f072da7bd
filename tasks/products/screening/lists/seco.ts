import { createEntity, type ListedEntity } from '../entity.ts'
import { addAll, addIdentifier, addName, classifyIdentifier, joinParts, readCountries, readGender } from './fields.ts'
import { type ListReader, readXml } from './files.ts'
import { childOf, childrenOf, textOf, type XmlElement } from './xml.ts'

/** The Swiss list: targets with identities, whose names are in ordered parts. */
export const readSeco: ListReader = async function* (files, [name], note) {
  const onStart = ({ name: tag, attributes }: XmlElement) => {
    if (tag === 'swiss-sanctions-list' && attributes.date) note(attributes.date)
  }
  for await (const element of readXml(files.read(name!), ['target'], onStart)) {
    const entity = readEntry(element)
    if (entity) yield entity
  }
}

const KINDS = ['individual', 'entity', 'object'] as const

function readEntry(element: XmlElement): ListedEntity | undefined {
  const kind = KINDS.find(name => childOf(element, name))
  if (!kind || isDelisted(element)) return undefined
  const body = childOf(element, kind)!
  const ofObject = body.attributes['object-type'] === 'vessel' ? 'vessel' : 'aircraft'
  const type = kind === 'individual' ? 'person' : kind === 'entity' ? 'organization' : ofObject
  const entity = createEntity(element.attributes.ssid ?? '', type, ['sanctions'])
  entity.gender = readGender(body.attributes.sex)
  entity.topics = ['sanction']
  entity.programs = childrenOf(element, 'sanctions-set-id').map(({ text }) => text)
  entity.remarks = textOf(body, 'other-information') || undefined
  for (const identity of childrenOf(body, 'identity')) readIdentity(entity, identity)
  const [change] = childrenOf(element, 'modification').filter(
    ({ attributes }) => attributes['modification-type'] === 'listed',
  )
  entity.listedOn = change?.attributes['effective-date']
  return entity.names.length === 0 ? undefined : entity
}

/** The file keeps targets that are listed no more. Of changes of one day the first is the newest. */
function isDelisted(element: XmlElement): boolean {
  const dateOf = ({ attributes }: XmlElement) => attributes['effective-date'] ?? attributes['publication-date'] ?? ''
  const [first, ...others] = childrenOf(element, 'modification')
  const newest = others.reduce((one, other) => (one && dateOf(other) > dateOf(one) ? other : one), first)
  return newest?.attributes['modification-type'] === 'de-listed'
}

function readIdentity(entity: ListedEntity, identity: XmlElement): void {
  for (const name of childrenOf(identity, 'name')) readNames(entity, name)
  addAll(entity.dob, childrenOf(identity, 'day-month-year').map(readBirth))
  for (const nationality of childrenOf(identity, 'nationality'))
    addAll(entity.nationalities, readCountries([childOf(nationality, 'country')?.attributes['iso-code']]))
  for (const document of childrenOf(identity, 'identification-document')) {
    const issuer = childOf(document, 'issuer')?.attributes.code
    addIdentifier(
      entity,
      classifyIdentifier(document.attributes['document-type'] ?? ''),
      textOf(document, 'number'),
      readCountries([issuer])[0],
    )
  }
}

/** Without a day or a month, as far as it is known. */
function readBirth({ attributes: { year = '', month, day } }: XmlElement): string {
  const parts = [year, month, month && day].filter(part => part !== undefined && part !== '')
  return parts.map(part => part!.padStart(2, '0')).join('-')
}

function readNames(entity: ListedEntity, name: XmlElement): void {
  const { quality, 'name-type': kind } = name.attributes
  const isMain = kind === 'primary-name' && !entity.names.some(({ type }) => type === 'primary')
  const type = isMain ? 'primary' : quality === 'low' ? 'weak-aka' : kind === 'formerly-known-as' ? 'fka' : 'strong-aka'
  const parts = childrenOf(name, 'name-part').toSorted(
    (one, other) => Number(one.attributes.order ?? 0) - Number(other.attributes.order ?? 0),
  )
  addName(entity, joinParts(parts.map(part => textOf(part, 'value'))), type)
  const variants = parts.map(part => childrenOf(part, 'spelling-variant'))
  for (const script of new Set(variants.flat().map(scriptOf))) {
    const ofScript = variants.map(all => all.filter(variant => scriptOf(variant) === script))
    // Parts may have several variants of a script, which go together by their order.
    for (let at = 0; ofScript.length > 0 && ofScript.every(all => all[at]); at++)
      addName(entity, joinParts(ofScript.map(all => all[at]!.text)), 'transliteration')
  }
}

function scriptOf({ attributes }: XmlElement): string {
  return attributes.script ?? ''
}
