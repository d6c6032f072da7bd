import { Problem } from '#kit'

interface Inspected {
  pages: number
  marks: readonly string[]
  hasBrokenTree?: boolean
}

interface RepairTools {
  qpdf: {
    check(path: string, password?: string): Promise<{ complaints: string[]; isEncrypted: boolean }>
    normalize(path: string, options: { to: string; password?: string }): Promise<{ path: string }>
  }
  libpdf: {
    inspect(files: readonly string[]): Promise<Inspected[]>
    expandUnicodeRanges(path: string, options: { to: string }): Promise<string | undefined>
    rebuildPages(path: string, options: { to: string }): Promise<{ path?: string; pagesDeclared?: number }>
  }
  ghostscript: { rewrite(path: string, options: { to: string }): Promise<string> }
  poppler: { listFonts(path: string): Promise<readonly unknown[]> }
  out(name: string): string
}

interface Candidate {
  engine: 'qpdf' | 'rebuild' | 'ghostscript'
  path: string
  pages: number
  isSigned: boolean
}

interface Repaired {
  /** Nothing, if no engine finds a page. */
  best: Candidate | undefined
  /** What the first reader complains about; nothing for a sound document. */
  complaints: string[]
  isEncrypted: boolean
  hasBrokenTree: boolean
  /** Whether there is nothing to repair, as far as the structure tells. */
  isSound: boolean
  pagesDeclared?: number
}

interface RepairOptions {
  strategy: 'auto' | 'structure' | 'rewrite'
  password: string | undefined
}

/** Tries the ways to repair a document in the order of what they lose. */
export async function repairInSteps(path: string, options: RepairOptions, tools: RepairTools): Promise<Repaired> {
  const { strategy, password } = options
  const { qpdf, libpdf, out } = tools
  const { complaints, isEncrypted } = await qpdf.check(path, password)
  const hasBrokenTree = (await inspectOne(path, tools))?.hasBrokenTree ?? false
  const recovered = await normalize(path, 'qpdf', options, tools)
  const isSound = complaints.length === 0 && !hasBrokenTree && recovered !== undefined
  const findings = { complaints, isEncrypted, hasBrokenTree, isSound }
  if (isSound && strategy !== 'rewrite') return { ...findings, best: recovered, pagesDeclared: recovered.pages }
  const scan = await libpdf.rebuildPages(path, { to: out('scanned.pdf') })
  const rebuilt = scan.path ? await normalize(scan.path, 'rebuild', options, tools) : undefined
  const kept = rebuilt && rebuilt.pages > (recovered?.pages ?? 0) ? rebuilt : recovered
  const isRewritten = strategy === 'rewrite' || (strategy === 'auto' && !kept)
  const best = isRewritten ? await rewrite([kept?.path, scan.path, path], tools) : kept
  return { ...findings, best, pagesDeclared: scan.pagesDeclared }
}

async function inspectOne(path: string, { libpdf }: RepairTools): Promise<Inspected | undefined> {
  const [inspected] = (await attempt(() => libpdf.inspect([path]))) ?? []
  return inspected
}

async function normalize(
  from: string,
  engine: 'qpdf' | 'rebuild',
  { password }: RepairOptions,
  tools: RepairTools,
): Promise<Candidate | undefined> {
  const to = tools.out(`${engine}.pdf`)
  const normalized = await attempt(() => tools.qpdf.normalize(from, { to, password }))
  return normalized && describe(engine, normalized.path, tools)
}

async function rewrite(sources: readonly (string | undefined)[], tools: RepairTools): Promise<Candidate | undefined> {
  for (const [index, source] of sources.entries()) {
    if (source === undefined) continue
    const to = tools.out(`rewritten-${index}.pdf`)
    const expanded = await attempt(() =>
      tools.libpdf.expandUnicodeRanges(source, { to: tools.out(`expanded-${index}.pdf`) }),
    )
    const path = await attempt(() => tools.ghostscript.rewrite(expanded ?? source, { to }))
    const candidate = path && (await describe('ghostscript', path, tools, sources[0] !== undefined))
    if (candidate) return candidate
  }
  return undefined
}

/** Two readers must open the result, and find pages. */
async function describe(
  engine: Candidate['engine'],
  path: string,
  tools: RepairTools,
  hasPages = true,
): Promise<Candidate | undefined> {
  const inspected = await inspectOne(path, tools)
  const fonts = await attempt(() => tools.poppler.listFonts(path))
  if (!fonts || !inspected || inspected.pages === 0) return undefined
  // Ghostscript writes an empty page for a document in which it finds none.
  if (engine === 'ghostscript' && !hasPages && fonts.length === 0) return undefined
  return { engine, path, pages: inspected.pages, isSigned: inspected.marks.includes('signature') }
}

/** Returns nothing if the engine cannot read the file; the next one is tried. */
async function attempt<Value>(action: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof Problem && error.code === 'PDF_PARSE_FAILED') return undefined
    throw error
  }
}
