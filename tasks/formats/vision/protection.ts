import type { Region } from '../geometry/region.ts'
import { EQUIPMENT, type Equipment, type FoundEquipment, type FoundPerson } from './results.ts'

export const REQUIRABLE = ['face', 'head', 'hands'] as const
type Requirable = (typeof REQUIRABLE)[number]

const COVERS = new Map<Requirable, Equipment>([
  ['face', 'face-cover'],
  ['head', 'head-cover'],
  ['hands', 'hand-cover'],
])
const PART_OF: Record<Equipment, 'face' | 'head' | 'hand'> = {
  'face-cover': 'face',
  'head-cover': 'head',
  'hand-cover': 'hand',
}

/**
 * Whether a person wears what is required: false if a part is bare, null if a part cannot be seen. Of hands, each that is
 * seen must be covered.
 */
export function judgePerson(
  { parts, listsBareParts }: FoundPerson,
  required: readonly Requirable[],
  minConfidence: number,
): boolean | null {
  const verdicts = required.map(part => {
    const seen = parts.filter(found => isPart(found.part, part))
    if (seen.length === 0) return listsBareParts ? null : false
    return seen.every(({ equipment }) => equipment.some(item => isCovering(item, COVERS.get(part), minConfidence)))
  })
  if (verdicts.includes(false)) return false
  return verdicts.includes(null) ? null : true
}

function isPart(part: string, required: Requirable): boolean {
  return required === 'hands' ? part.endsWith('hand') : part === required
}

function isCovering(
  { type, confidence, covers }: FoundEquipment,
  wanted: Equipment | undefined,
  minConfidence: number,
): boolean {
  return type === wanted && covers && confidence >= minConfidence
}

interface LabelledBox {
  label: string
  confidence: number
  box: Region
}

/** Gives each piece of equipment that a model has found to the smallest person around its centre. */
export function assignEquipment(found: readonly LabelledBox[]): FoundPerson[] {
  const persons = found
    .filter(({ label }) => label === 'person')
    .map(({ box, confidence }): FoundPerson => ({ box, confidence, parts: [], listsBareParts: false }))
  for (const { label, confidence, box } of found) {
    const type = EQUIPMENT.find(name => name === label)
    const wearer = type && findWearer(persons, { x: box.x + box.width / 2, y: box.y + box.height / 2 })
    if (!wearer) continue
    wearer.parts.push({ part: PART_OF[type!], equipment: [{ type: type!, confidence, covers: true }] })
  }
  return persons
}

function findWearer(persons: readonly FoundPerson[], { x, y }: { x: number; y: number }): FoundPerson | undefined {
  return persons
    .filter(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height)
    .sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height)[0]
}
