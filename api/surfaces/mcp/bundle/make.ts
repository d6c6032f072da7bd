import { readFile } from 'node:fs/promises'
import { packZip } from '../../sdk/wheel.ts'
import { BRIDGE, type BundleFacts, buildManifest } from './manifest.ts'

const SOURCE = new URL('bridge.mjs', import.meta.url)
const LICENCE = new URL('../../../../LICENSE', import.meta.url)

/** The bundle of this installation for desktop clients. The same facts give the same bytes. */
export async function makeBundle(facts: BundleFacts): Promise<Buffer> {
  return packZip([
    { name: 'manifest.json', content: `${JSON.stringify(buildManifest(facts), null, 2)}\n` },
    { name: BRIDGE, content: await readFile(SOURCE, 'utf8') },
    { name: 'LICENSE', content: await readFile(LICENCE, 'utf8') },
  ])
}
