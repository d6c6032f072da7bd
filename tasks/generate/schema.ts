import { FileInput, Problem, type RunContext, type Tools } from '#kit'
import type { Rgba } from '../formats/raster/png-svg.ts'
import { VECTOR_EXTENSIONS, VECTOR_TYPES, type VectorFormat } from '../formats/svg/drawing.ts'

/** Problems of every operation that renders a drawing. */
export const DRAWING_ERRORS = [
  'COLOR_INVALID',
  'TOO_MANY_PIXELS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const

/** An image that becomes part of a drawing. */
export function ImagePart(description: string) {
  const accept = ['image/png', 'image/jpeg', 'image/svg+xml', 'image/webp', 'image/avif', 'image/gif']
  return FileInput({ accept, probe: 'image', description })
}

/** Parses colours by the names of their fields; those that are not given stay undefined. */
export async function parseColors<Field extends string>(
  color: Tools['color'],
  fields: { readonly [Name in Field]?: string },
): Promise<Partial<Record<Field, Rgba>>> {
  const given = Object.entries<string | undefined>(fields).filter(entry => entry[1] !== undefined) as [Field, string][]
  const parsed = await color.parse(given.map(([, text]) => text))
  return Object.fromEntries(
    given.map(([field], index) => {
      if (!parsed[index]) throw new Problem('COLOR_INVALID', { field })
      return [field, parsed[index]]
    }),
  ) as Partial<Record<Field, Rgba>>
}

/** Renders a drawing in the format that the caller asks for. */
export async function renderDrawing(
  svg: string,
  format: VectorFormat | 'svg',
  stem: string,
  { sharp }: Pick<Tools, 'sharp'> & Pick<RunContext, 'out'>,
) {
  const file = format === 'svg' ? { bytes: Buffer.from(svg) } : await sharp.drawVector(svg, { format, lossless: true })
  const { bytes, path } = file as { bytes?: Uint8Array; path?: string }
  return { bytes, path, contentType: VECTOR_TYPES[format], name: `${stem}.${VECTOR_EXTENSIONS[format]}` }
}

/** Of pages that we wrote ourselves: nothing runs and nothing is loaded. */
export const PRINT_OPTIONS = {
  ...({ landscape: false, scale: 1, preferCssPageSize: false, single: false, background: true } as const),
  ...({ media: 'print', outline: false, tagged: false, javascript: false, network: 'none', timezone: 'UTC' } as const),
  wait: { delayMs: 0, networkIdle: false, timeoutMs: 15_000 },
}
