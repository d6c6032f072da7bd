import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { listTextModels, type Prefixes, readPrefixes } from '../../pools/tools/embedding/model.ts'
import { reachOwn } from '../loopback.ts'
import type { EmbedderConfig } from '../providers/embedding/settings.ts'
import { ConfigError } from '../variables/declaration.ts'

export interface FoundModel {
  /** The name of its folder, under which batons remember it. */
  name: string
  folder: string
  prefixes: Prefixes
}

const NAME = /^(?!svc-|own$|auto$)[A-Za-z0-9._:@-]{1,64}$/

/** The model of texts in MODELS_DIR, if there is one. Throws ConfigError where the operator has to choose. */
export function findEmbedderModel({ modelsDir, model, prefixes }: EmbedderConfig): FoundModel | undefined {
  const names = listTextModels(modelsDir)
  if (model !== undefined && !names.includes(model))
    throw new ConfigError(`EMBEDDING_MODEL names ${model}, and MODELS_DIR has no such folder with a tokenizer.json.`)
  if (model === undefined && names.length > 1)
    throw new ConfigError(`EMBEDDING_MODEL must name one of the models in MODELS_DIR: ${names.join(', ')}.`)
  const [name = ''] = model === undefined ? names : [model]
  if (name === '') return undefined
  if (!NAME.test(name))
    throw new ConfigError(
      `The folder ${name} in MODELS_DIR must have a name of up to 64 letters, digits, ., _, :, @, -.`,
    )
  const folder = join(modelsDir, name)
  return { name, folder, prefixes: { ...readPrefixesOf(folder, name), ...prefixes } }
}

/** The role says what is wrong with a file. */
function readPrefixesOf(folder: string, name: string): Prefixes {
  try {
    return readPrefixes(folder, name)
  } catch {
    return { query: '', text: '' }
  }
}

/** The api calls the role as it would any other provider, with a key that nobody else has. */
export function describeRole(
  { host, port, apiKey = randomBytes(24).toString('base64url') }: EmbedderConfig,
  model: FoundModel,
) {
  const own = { EMBEDDING_MODEL: model.name, EMBEDDING_API_KEY: apiKey }
  const { query, text } = model.prefixes
  const prefixes = { ...(query && { EMBEDDING_QUERY_PREFIX: query }), ...(text && { EMBEDDING_TEXT_PREFIX: text }) }
  // It costs its operator nothing more to have it asked.
  const priced = { EMBEDDING_MODELS: `${model.name} 0` }
  return { own, forCallers: { ...own, ...prefixes, ...priced, EMBEDDING_URL: `http://${reachOwn(host)}:${port}/v1` } }
}
