export type Behaviour = 'single' | 'append' | 'chained' | 'overwrite' | 'vectors'

interface Preset {
  behaviour: Behaviour
  summary: string
  /** It is always created with a witness. A chained baton is too. */
  isWitnessed?: boolean
  /** Without tokens of the caller's, it is created with one that can be read so often, and burns once that is used up. */
  burnsAfterReads?: number
}

export const PRESETS = {
  drop: { behaviour: 'single', summary: 'Store a file, to be read until it expires.' },
  pass: {
    behaviour: 'single',
    summary: 'Share a file by a token that can be read once; the file is deleted after that.',
    burnsAfterReads: 1,
  },
  scratchpad: { behaviour: 'append', summary: 'A text log that its owner and token holders append to.' },
  checkpoint: { behaviour: 'overwrite', summary: 'A text that each write replaces; the latest is kept.' },
  ledger: { behaviour: 'chained', summary: 'A text log whose entries are linked by hashes, so that changes show.' },
  witness: {
    behaviour: 'single',
    isWitnessed: true,
    summary: 'Store a file and have its hash signed, as proof of what it was and when.',
  },
  vector: { behaviour: 'vectors', summary: 'Vectors or texts with metadata, to search for what is nearest.' },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}

export function hasWitnessAlways(preset: string): boolean {
  return isPresetName(preset) && ('isWitnessed' in PRESETS[preset] || PRESETS[preset].behaviour === 'chained')
}

/** A log may be chained; a text or file that is replaced cannot be. */
export function behaviourOf(preset: PresetName, hashChaining: boolean): Behaviour | undefined {
  const { behaviour } = PRESETS[preset]
  if (!hashChaining) return behaviour
  return behaviour === 'append' || behaviour === 'chained' ? 'chained' : undefined
}
