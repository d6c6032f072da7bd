import { readFileSync } from 'node:fs'
import type { Entry } from '#kit'
import { type ApiContext, takesPayments } from '../context.ts'
import { listRefused } from '../product-capabilities.ts'
import { buildCapabilities } from './capabilities.ts'
import type { SurfaceOptions } from './entries.ts'

export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** What every document depends on besides the catalogue. A document is made again when the state has changed. */
export function readSurfaceState(context: ApiContext): { state: string; options: SurfaceOptions } {
  const { catalog, config, settings } = context
  const unavailable = listUnavailable(context)
  return {
    state: JSON.stringify([settings.version, catalog.version, [...unavailable]]),
    options: {
      publicUrl: config.publicUrl,
      version,
      siteName: config.operator.name,
      ratesOf: name => settings.ratesOf(name),
      isAvailable: name => !unavailable.has(name),
      canFetch: config.outbound === 'public',
      hasMcp: settings.get('mcp.enabled'),
    },
  }
}

/** The same, which also knows the calls that products refuse here at present. */
export async function readWholeState(context: ApiContext): Promise<{ state: string; options: SurfaceOptions }> {
  const { state, options } = readSurfaceState(context)
  const refused = await listRefused(context)
  const isAvailable = (name: string) => options.isAvailable?.(name) !== false && !refused.has(name)
  const stillTakes = (name: string) => refused.get(name)
  return { state: JSON.stringify([state, ...refused]), options: { ...options, isAvailable, stillTakes } }
}

function listUnavailable(context: ApiContext): Set<string> {
  const { entries } = context.catalog
  const { operations } = buildCapabilities(entries, context.availability.tools())
  const isMissing = ({ name, servesPayments }: Entry) =>
    operations[name]?.available === false || (servesPayments && !takesPayments(context))
  return new Set(entries.filter(isMissing).map(({ name }) => name))
}
