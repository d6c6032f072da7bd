import { createHash } from 'node:crypto'
import type { ApiContext } from '../../context.ts'
import { version } from '../state.ts'
import { makeInThread } from './make.ts'
import type { ClientPackages, ClientSettings } from './packages.ts'
import { wheelPathOf } from './readme.ts'

/** A package as it is served. */
export interface ServedPackage {
  contentType: string
  plain: Buffer
  etag: string
}

export interface ServedPackages {
  /** The address of the wheel, in which pip reads its version. */
  wheelPath: string
  npm: ServedPackage
  wheel: ServedPackage
}

const kept = new WeakMap<ApiContext, { state: string; packages: Promise<ServedPackages> }>()

/** The packages of this installation, made when they are first asked for and again when its catalogue has changed. */
export function getClientPackages(context: ApiContext): Promise<ServedPackages> {
  const { catalog } = context
  const settings = readSettings(context)
  const state = JSON.stringify([settings, catalog.entries.length])
  const found = kept.get(context)
  if (found?.state === state) return found.packages
  const packages = makeInThread(catalog.entries, settings).then(serve)
  kept.set(context, { state, packages })
  // What has failed is tried again by the next request.
  packages.catch(() => kept.delete(context))
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
