import { ID_PREFIX } from '#kit'
import { SERVER_DESCRIPTION, SERVER_TITLE } from '../server-card.ts'

export interface BundleFacts {
  publicUrl: string
  version: string
  /** Where the files of results are read, besides the service itself. */
  fileOrigins: readonly string[]
}

/** What the client puts in place of such a name when it starts the bundle. */
const placeholder = (name: string) => `$\{${name}}`

const KEY = {
  type: 'string',
  title: 'API key',
  description: `Starts with ${ID_PREFIX}_. Without one, only what is free can be called.`,
  sensitive: true,
  required: false,
}

const ASK_ABOVE = {
  type: 'number',
  title: 'Ask above this price (USD)',
  description: 'Calls that may cost more are asked about first, or refused where the client cannot ask. Empty: never.',
  min: 0,
  required: false,
}

const FOLDERS = {
  type: 'directory',
  title: 'Allowed folders',
  description: 'Files are uploaded from these folders, and results saved in them.',
  multiple: true,
  required: false,
  default: [placeholder('DOCUMENTS'), placeholder('DOWNLOADS')],
}

export const BRIDGE = 'server/bridge.mjs'

/** What a desktop client reads of the bundle, in the form of MCPB 0.3. */
export function buildManifest({ publicUrl, version, fileOrigins }: BundleFacts): object {
  const host = new URL(publicUrl).host
  return {
    manifest_version: '0.3',
    name: `coinop-${host.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`,
    display_name: `${SERVER_TITLE} (${host})`,
    version,
    description: SERVER_DESCRIPTION,
    author: { name: SERVER_TITLE, url: publicUrl },
    homepage: publicUrl,
    documentation: `${publicUrl}/docs`,
    license: 'MIT',
    server: {
      type: 'node',
      entry_point: BRIDGE,
      mcp_config: {
        command: 'node',
        args: [`${placeholder('__dirname')}/${BRIDGE}`, placeholder('user_config.folders')],
        env: {
          COINOP_URL: publicUrl,
          COINOP_KEY: placeholder('user_config.api_key'),
          COINOP_ASK_ABOVE_USD: placeholder('user_config.ask_above'),
          COINOP_FILE_ORIGINS: fileOrigins.join(' '),
        },
      },
    },
    tools_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20.0.0' } },
    user_config: { api_key: KEY, folders: FOLDERS, ask_above: ASK_ABOVE },
  }
}
