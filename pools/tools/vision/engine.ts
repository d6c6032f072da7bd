import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { env, InferenceSession, Tensor as RuntimeTensor } from 'onnxruntime-node'
import type { Region, Size } from '../../../tasks/formats/geometry/region.ts'
import { type Detection, suppressOverlaps } from '../../../tasks/formats/vision/boxes.ts'
import { decodeBoxList } from '../../../tasks/formats/vision/decode/box-list.ts'
import { decodeClassification } from '../../../tasks/formats/vision/decode/classification.ts'
import { findTensor, type Tensor } from '../../../tasks/formats/vision/decode/tensor.ts'
import { decodeYolo } from '../../../tasks/formats/vision/decode/yolo.ts'
import { cropFace } from '../../../tasks/formats/vision/face-crop.ts'
import { buildInputTensor } from '../../../tasks/formats/vision/input-tensor.ts'
import type { ModelManifest } from '../../../tasks/formats/vision/manifest.ts'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'
import { checkInput, type ModelOutputs, OPTIONS } from './session.ts'

export interface Model {
  path: string
  manifest: ModelManifest
}

interface LoadedModel {
  key: string
  session: InferenceSession
  sha256: string
}

/** A process serves one model, so it holds one; a file that changes is loaded again. */
let loaded: LoadedModel | undefined

export async function version(): Promise<string> {
  return env.versions.node ?? env.versions.common
}

/** Loads a model, and runs it on a grey image when it is new. Throws ModelFault if it and its manifest do not fit. */
export async function check(_files: string[], model: Model): Promise<{ version: string; sha256: string }> {
  const known = loaded
  const { sha256, session } = await load(model)
  if (loaded !== known) {
    const { width, height } = model.manifest.input
    const outputs = await run(session, model, new Uint8Array(width * height * 3).fill(128))
    decode(outputs, model.manifest, 0.5)
  }
  return { version: await version(), sha256 }
}

export interface Findings {
  sha256: string
  labels?: { label: string; confidence: number }[]
  detections?: Detection[]
}

/** What a model finds in the pixels of an image of its input's size. */
export async function find(
  [pixels]: string[],
  { minScore, ...model }: Model & { minScore: number },
): Promise<Findings> {
  const { session, sha256 } = await load(model)
  const outputs = await run(session, model, await readFile(pixels!))
  return { sha256, ...decode(outputs, model.manifest, minScore) }
}

export interface Face {
  box: Region
  landmarks: { x: number; y: number }[]
}

/** The embeddings of the faces of an image, each cut out of its pixels. */
export async function embed(
  [file]: string[],
  { image, faces, ...model }: Model & { image: Size; faces: Face[] },
): Promise<{ sha256: string; embeddings: number[][] }> {
  const { session, sha256 } = await load(model)
  const pixels = await readFile(file!)
  const { input, output } = model.manifest
  const margin = output.kind === 'embedding' ? output.margin : 0
  const embeddings: number[][] = []
  for (const face of faces) {
    const outputs = await run(session, model, cropFace({ pixels, ...image }, face, input, margin))
    embeddings.push(readEmbedding(outputs, model.manifest))
  }
  return { sha256, embeddings }
}

async function load({ path, manifest }: Model): Promise<LoadedModel> {
  const { mtimeMs, size } = await stat(path).catch(error => Promise.reject(new ModelFault(describeAccess(error))))
  const key = JSON.stringify([path, mtimeMs, size, manifest])
  if (loaded?.key === key) return loaded
  await loaded?.session.release()
  loaded = undefined
  const sha256 = await hashFile(path)
  if (manifest.sha256 !== undefined && manifest.sha256 !== sha256)
    throw new ModelFault(`the file has the SHA-256 ${sha256}, not the one in the manifest`)
  const session = await asModelFault(() => InferenceSession.create(path, OPTIONS))
  checkInput(session, manifest.input)
  loaded = { key, session, sha256 }
  return loaded
}

function describeAccess({ code }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' ? 'there is no such file' : 'the file cannot be read: give all users the right to read it'
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash).catch(error => Promise.reject(new ModelFault(describeAccess(error))))
  return hash.digest('hex')
}

async function run(session: InferenceSession, { manifest }: Model, pixels: Uint8Array): Promise<ModelOutputs> {
  const { dims, data } = buildInputTensor(pixels, manifest.input)
  const [name = ''] = session.inputNames
  const feed =
    data instanceof Float32Array ? new RuntimeTensor('float32', data, dims) : new RuntimeTensor('uint8', data, dims)
  const outputs = await asModelFault(() => session.run({ [name]: feed }))
  return session.outputNames.map(output => toPlainTensor(output, outputs[output]!))
}

const NUMBER_TYPES = ['float32', 'float64', 'int32', 'int64', 'uint8', 'int8', 'uint16', 'int16', 'uint32', 'bool']

function toPlainTensor(name: string, { type, dims, data }: RuntimeTensor): Tensor {
  if (!NUMBER_TYPES.includes(type))
    throw new ModelFault(`the output ${name} is of the type ${type}, which is not read; export the model with float32`)
  return { name, dims, data: data as ArrayLike<number> }
}

/** The runtime reports all its errors as text, and all of them are about the model. Callers see them, but no path. */
async function asModelFault<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw new ModelFault(
      (error as Error).message
        .replaceAll(/\/\S*\//g, '')
        .replaceAll(/\s+/g, ' ')
        .slice(0, 300),
    )
  }
}

function decode(outputs: ModelOutputs, { output, labels, input }: ModelManifest, minScore: number) {
  if (output.kind === 'classification') return { labels: decodeClassification(outputs, output, labels) }
  if (output.kind === 'embedding') return void readEmbedding(outputs, { output, labels, input } as ModelManifest)
  const found =
    output.kind === 'yolo'
      ? decodeYolo(outputs, output, labels, minScore)
      : decodeBoxList(outputs, output, labels, { minScore, input })
  return { detections: suppressOverlaps(found, output.overlap) }
}

const MAX_EMBEDDING = 16_384

function readEmbedding(outputs: ModelOutputs, { output }: ModelManifest): number[] {
  const { name, data } = findTensor(outputs, 'tensor' in output ? output.tensor : undefined)
  const values = Array.from(data, Number)
  if (values.length < 2 || values.length > MAX_EMBEDDING || !values.every(Number.isFinite))
    throw new ModelFault(`the output ${name} with ${values.length} values is no embedding`)
  return values
}
