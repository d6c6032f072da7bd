import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'
import { OPTIONS } from '../vision/session.ts'
import type { TextModel } from './model.ts'
import { normalize, poolTokens } from './pooling.ts'

// Decision 0300: embed texts by a model of the operator in a role of its own.

interface LoadedModel {
  tokenizer: Tokenizer
  session: InferenceSession
}

export type Embedded =
  | { vectors: Float32Array[]; tokens: number }
  | { tooLong: { index: number; tokens: number; maxTokens: number } }

const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings']
const TEXT_OUTPUT = 'sentence_embedding'
const TRIAL = 'a text'

/** A process serves one model for as long as it runs. */
let loading: Promise<LoadedModel> | undefined

/** Loads the model and tries it. Throws ModelFault. */
export async function check(_files: string[], model: TextModel): Promise<{ dimensions: number }> {
  const embedded = await embed([], { ...model, texts: [TRIAL] })
  if ('tooLong' in embedded) throw new ModelFault(`it takes only ${model.maxTokens} tokens`)
  const [vector] = embedded.vectors
  return { dimensions: vector!.length }
}

/** A text that has too many tokens is refused, because what would be cut off could not be found. */
export async function embed(
  _files: string[],
  { texts, ...model }: TextModel & { texts: readonly string[] },
): Promise<Embedded> {
  const { tokenizer, session } = await load(model)
  const encoded = texts.map(text => tokenizer.encode(model.isLowerCase ? text.toLowerCase() : text).ids)
  const index = encoded.findIndex(({ length }) => length > model.maxTokens)
  const { maxTokens } = model
  if (index >= 0) return { tooLong: { index, tokens: encoded[index]!.length, maxTokens } }
  const vectors: Float32Array[] = []
  // One at a time: a text that is padded to the length of its neighbours costs more and can have another vector.
  for (const ids of encoded) vectors.push(await embedTokens(session, ids, model))
  return { vectors, tokens: encoded.reduce((sum, { length }) => sum + length, 0) }
}

async function embedTokens(session: InferenceSession, ids: readonly number[], model: TextModel): Promise<Float32Array> {
  const tensor = (fill: (at: number) => number) =>
    new Tensor(
      'int64',
      BigInt64Array.from(ids, (_, at) => BigInt(fill(at))),
      [1, ids.length],
    )
  const inputs: Record<string, () => Tensor> = {
    input_ids: () => tensor(at => ids[at]!),
    attention_mask: () => tensor(() => 1),
    token_type_ids: () => tensor(() => 0),
    position_ids: () => tensor(at => at),
  }
  const unknown = session.inputNames.find(name => !inputs[name])
  if (unknown) throw new ModelFault(`the model has the input ${unknown}; known are ${Object.keys(inputs).join(', ')}`)
  const feeds = Object.fromEntries(session.inputNames.map(name => [name, inputs[name]!()]))
  const outputs = await asModelFault(() => session.run(feeds))
  const vector = readVector(outputs, model)
  if (vector.length < 2 || !vector.every(Number.isFinite)) throw new ModelFault('what it gives is no vector')
  return model.isNormalized ? normalize(vector) : vector
}

function readVector(outputs: InferenceSession.OnnxValueMapType, { pooling }: TextModel): Float32Array {
  const tokens = TOKEN_OUTPUTS.map(name => outputs[name]).find(output => output !== undefined)
  const output = tokens ?? outputs[TEXT_OUTPUT]
  if (output?.type !== 'float32')
    throw new ModelFault(`it has no output ${[...TOKEN_OUTPUTS, TEXT_OUTPUT].join(' or ')} of float32`)
  const { dims } = output
  const data = output.data as Float32Array
  return tokens ? poolTokens({ dims, data }, pooling) : data
}

/** A load that failed is tried again by the next call: its files may be there by then. */
function load(model: TextModel): Promise<LoadedModel> {
  loading ??= open(model).catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function open({ folder, file }: TextModel): Promise<LoadedModel> {
  const readJson = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as object
  const tokenizer = await asModelFault(
    async () => new Tokenizer(await readJson('tokenizer.json'), await readJson('tokenizer_config.json')),
  )
  // One process does all the work, so it may use every processor.
  const options = { ...OPTIONS, intraOpNumThreads: 0 }
  const session = await asModelFault(() => InferenceSession.create(join(folder, file), options))
  return { tokenizer, session }
}

/** The runtime and the tokenizer report their errors as text, and all of them are about the model. */
async function asModelFault<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw new ModelFault((error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300))
  }
}
