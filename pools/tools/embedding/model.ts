import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'

/** A model of texts in the layout of sentence-transformers. */
export interface TextModel {
  folder: string
  /** The model itself, in that folder. */
  file: string
  pooling: Pooling
  /** Whether its vectors get the length 1. */
  isNormalized: boolean
  /** Of one text, with the marks that the tokenizer adds. */
  maxTokens: number
  isLowerCase: boolean
}

export type Pooling = 'mean' | 'cls' | 'max'

/** What texts and questions begin with, for models that were trained so. */
export interface Prefixes {
  query: string
  text: string
}

const TOKENIZER = 'tokenizer.json'
const MODEL_FILES = ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx']
const DEFAULT_MAX_TOKENS = 512
const MAX_TOKENS = 8_192

/** The folders that hold a model of texts: those with a tokenizer. */
export function listTextModels(modelsDir: string): string[] {
  const names = existsSync(modelsDir) ? readdirSync(modelsDir).sort() : []
  return names.filter(name => existsSync(join(modelsDir, name, TOKENIZER)))
}

/** Throws ModelFault where the files do not say how vectors are made. */
export function readTextModel(folder: string): TextModel {
  const file = MODEL_FILES.find(name => existsSync(join(folder, name)))
  if (file === undefined) throw new ModelFault(`there is none of ${MODEL_FILES.join(', ')}`)
  const steps = listSteps(folder)
  const limits = readJson(folder, 'sentence_bert_config.json')
  return {
    ...{ folder, file },
    pooling: readPooling(folder, steps.find(({ kind }) => kind === 'Pooling')?.path),
    isNormalized: steps.some(({ kind }) => kind === 'Normalize'),
    maxTokens: readMaxTokens(folder, limits),
    isLowerCase: limits?.do_lower_case === true,
  }
}

/** Models of the E5 family want prefixes, and older ones do not say so in their files. */
export function readPrefixes(folder: string, name: string): Prefixes {
  const { prompts } = readJson(folder, 'config_sentence_transformers.json') ?? {}
  const known = (prompts ?? {}) as Record<string, unknown>
  const read = (...names: string[]) => names.map(key => known[key]).find(value => typeof value === 'string') as string
  const [query, text] = [read('query'), read('passage', 'document', 'text')]
  if (query === undefined && text === undefined && /(^|[-_])e5([-_]|$)/i.test(name))
    return { query: 'query: ', text: 'passage: ' }
  return { query: query ?? '', text: text ?? '' }
}

const KNOWN_STEPS = ['Transformer', 'Pooling', 'Normalize']

function listSteps(folder: string): { kind: string; path: string }[] {
  const modules = readJson(folder, 'modules.json')
  if (!Array.isArray(modules)) throw new ModelFault('modules.json, which says how vectors are made, is not there')
  const steps = (modules as { type?: string; path?: string }[]).map(({ type = '', path = '' }) => ({
    kind: type.split('.').at(-1)!,
    path,
  }))
  const unknown = steps.find(({ kind }) => !KNOWN_STEPS.includes(kind))
  if (unknown) throw new ModelFault(`modules.json has the step ${unknown.kind}; known are ${KNOWN_STEPS.join(', ')}`)
  return steps
}

function readPooling(folder: string, path: string | undefined): Pooling {
  if (path === undefined || path.includes('..')) throw new ModelFault('modules.json has no step for pooling')
  const name = `${path}/config.json`
  const config = readJson(folder, name)
  if (!config) throw new ModelFault(`${name} is not there`)
  const modes: Record<Pooling, unknown> = {
    mean: config.pooling_mode_mean_tokens,
    cls: config.pooling_mode_cls_token,
    max: config.pooling_mode_max_tokens,
  }
  const named = (['mean', 'cls', 'max'] as const).filter(mode => modes[mode] === true || config.pooling_mode === mode)
  const others = Object.entries(config).filter(([key, value]) => key.startsWith('pooling_mode_') && value === true)
  if (named.length !== 1 || others.length > 1)
    throw new ModelFault(`${name} must choose one of mean, cls and max pooling`)
  return named[0]!
}

function readMaxTokens(folder: string, limits: Json | undefined): number {
  const named = [limits?.max_seq_length, readJson(folder, 'tokenizer_config.json')?.model_max_length]
  const known = named.find(value => typeof value === 'number' && value >= 1)
  return Math.min(MAX_TOKENS, typeof known === 'number' && known < 1e9 ? Math.floor(known) : DEFAULT_MAX_TOKENS)
}

type Json = Record<string, unknown>

function readJson(folder: string, name: string): Json | undefined {
  try {
    const value = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Json | null
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ModelFault(`${name} cannot be read: ${(error as Error).message.slice(0, 200)}`)
  }
  throw new ModelFault(`${name} is no object`)
}
