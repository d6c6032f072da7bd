/** The kind of file that a sample is meant to be, even if it is broken. */
export type Family = 'pdf' | 'image' | 'archive' | 'table' | 'json' | 'html' | 'text' | 'pattern' | 'other'

/** One file of the corpus. Its bytes are built when they are first needed. */
export interface Sample {
  name: string
  family: Family
  bytes(): Promise<Uint8Array>
  /** The content type that the sender claims. */
  claimedType?: string
}

type SampleFactory = () => Uint8Array | string | Promise<Uint8Array | string>

/** The samples of one family, from a map of names to functions that build their bytes. */
export function createSamples(family: Family, factories: Record<string, SampleFactory>): Sample[] {
  return Object.entries(factories).map(([name, build]) => createSample(family, name, build))
}

export function createSample(family: Family, name: string, build: SampleFactory, claimedType?: string): Sample {
  let cached: Promise<Uint8Array> | undefined
  const bytes = () => {
    cached ??= Promise.resolve(build()).then(content => (typeof content === 'string' ? Buffer.from(content) : content))
    return cached
  }
  return { name: `${family}/${name}`, family, bytes, claimedType }
}
