import { createHash } from 'node:crypto'
import type { ApiContext } from '../../context.ts'
import { version } from '../state.ts'
import { wheelPathOf } from './addresses.ts'
import { makeInThread } from './make.ts'
import type { ClientPackages, ClientSettings } from './packages.ts'

/** A package as it is served. */
interface ServedPackage {
  contentType: string
  plain: Buffer
  etag: string
}

interface ServedPackages {
  /** The address of the wheel, in which pip reads its version. */
  wheelPath: string
  npm: ServedPackage
  wheel: ServedPackage
}

/** By the entries of a catalogue, so that another one has packages of its own. */
const kept = new WeakMap<object, { state: string; packages: Promise<ServedPackages> }>()

/** The packages of this installation, made when they are first asked for and again when its catalogue has changed. */
export function getClientPackages(context: ApiContext): Promise<ServedPackages> {
  const { entries } = context.catalog
  const settings = readSettings(context)
  const state = JSON.stringify(settings)
  const found = kept.get(entries)
  if (found?.state === state) return found.packages
  const packages = makeInThread(entries, settings).then(serve)
  kept.set(entries, { state, packages })
  // What has failed is tried again by the next request.
  packages.catch(() => kept.delete(entries))
  return packages
}

function readSettings({ config, settings, payments }: ApiContext): ClientSettings {
  return {
    publicUrl: config.publicUrl,
    version,
    canFetch: config.outbound === 'public',
    maxInlineBytes: settings.get('cputools.io.max_inline_bytes'),
    assets: payments?.network.assets.map(({ address }) => address) ?? [],
  }
}

function serve({ version: made, npm, wheel }: ClientPackages): ServedPackages {
  return {
    wheelPath: wheelPathOf(made),
    npm: { contentType: 'application/gzip', plain: npm, etag: etagOf(npm) },
    wheel: { contentType: 'application/zip', plain: wheel, etag: etagOf(wheel) },
  }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}
