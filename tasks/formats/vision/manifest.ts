import { type Static, Type } from 'typebox'
import { Default, Errors } from 'typebox/value'
import { Choice } from '#kit'
import { ModelFault } from './model-fault.ts'
import { EQUIPMENT, RISKS, type Risk } from './results.ts'
import { MODEL_TASKS, type ModelTask } from './served.ts'

const Triple = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })
const TensorName = Type.String({ minLength: 1, maxLength: 200 })
const CLOSED = { additionalProperties: false }

const Input = Type.Object(
  {
    width: Type.Integer({ minimum: 8, maximum: 4096 }),
    height: Type.Integer({ minimum: 8, maximum: 4096 }),
    layout: Choice(['nchw', 'nhwc'], { default: 'nchw' }),
    channels: Choice(['rgb', 'bgr', 'grey'], { default: 'rgb' }),
    type: Choice(['float32', 'uint8'], { default: 'float32' }),
    scale: Type.Number({ default: 1 / 255 }),
    mean: Type.Optional(Triple),
    std: Type.Optional(Triple),
    fit: Choice(['stretch', 'letterbox', 'crop'], { default: 'stretch' }),
    anchor: Choice(['centre', 'corner'], { default: 'centre' }),
    pad: Type.Integer({ default: 114, minimum: 0, maximum: 255 }),
  },
  CLOSED,
)

const Classification = Type.Object(
  {
    kind: Type.Literal('classification'),
    tensor: Type.Optional(TensorName),
    activation: Choice(['none', 'sigmoid', 'softmax'], { default: 'softmax' }),
  },
  CLOSED,
)

const Yolo = Type.Object(
  {
    kind: Type.Literal('yolo'),
    tensor: Type.Optional(TensorName),
    boxesIn: Choice(['columns', 'rows'], { default: 'columns' }),
    objectness: Type.Boolean({ default: false }),
    activation: Choice(['none', 'sigmoid'], { default: 'none' }),
    landmarks: Type.Integer({ default: 0, minimum: 0, maximum: 200 }),
    landmarkValues: Type.Integer({ default: 3, minimum: 2, maximum: 3 }),
    overlap: Type.Number({ default: 0.45, minimum: 0, maximum: 1 }),
  },
  CLOSED,
)

const BoxList = Type.Object(
  {
    kind: Type.Literal('ssd'),
    boxes: TensorName,
    scores: TensorName,
    classes: Type.Optional(TensorName),
    firstClass: Type.Integer({ default: 0, minimum: 0, maximum: 1 }),
    landmarks: Type.Optional(TensorName),
    corners: Choice(['xyxy', 'yxyx', 'xywh', 'cxcywh'], { default: 'xyxy' }),
    units: Choice(['fractions', 'pixels'], { default: 'fractions' }),
    hasBackground: Type.Boolean({ default: false }),
    activation: Choice(['none', 'sigmoid', 'softmax'], { default: 'none' }),
    overlap: Type.Number({ default: 0.45, minimum: 0, maximum: 1 }),
  },
  CLOSED,
)

const Embedding = Type.Object(
  {
    kind: Type.Literal('embedding'),
    tensor: Type.Optional(TensorName),
    match: Type.Number({ default: 0.4, exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    margin: Type.Number({ default: 0.1, minimum: 0, maximum: 1 }),
  },
  CLOSED,
)

const OUTPUTS = { classification: Classification, yolo: Yolo, ssd: BoxList, embedding: Embedding }
type OutputKind = keyof typeof OUTPUTS

/** What each operation can be decoded from. */
const KINDS: Record<ModelTask, readonly OutputKind[]> = {
  'detect-labels': ['classification', 'yolo', 'ssd'],
  'detect-faces': ['yolo', 'ssd'],
  'compare-faces': ['embedding'],
  'detect-ppe': ['yolo', 'ssd'],
  moderate: ['classification', 'yolo', 'ssd'],
}

const Labels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 20_000 })

const Manifest = Type.Object(
  {
    serves: Choice(MODEL_TASKS),
    input: Input,
    output: Type.Object({ kind: Choice(Object.keys(OUTPUTS) as OutputKind[]) }),
    labels: Type.Optional(Type.Union([Labels, Type.String({ pattern: '^[^/\\\\]+\\.txt$' })])),
    categories: Type.Optional(Type.Record(Type.String(), Choice(RISKS))),
    licence: Type.Optional(Type.String({ maxLength: 200 })),
    sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  },
  CLOSED,
)

export type ModelInput = Static<typeof Input>
export type ClassificationOutput = Static<typeof Classification>
export type YoloOutput = Static<typeof Yolo>
export type BoxListOutput = Static<typeof BoxList>
type EmbeddingOutput = Static<typeof Embedding>
type ModelOutput = ClassificationOutput | YoloOutput | BoxListOutput | EmbeddingOutput

/** A manifest after its defaults were filled in, and its labels read. */
export interface ModelManifest {
  serves: ModelTask
  input: ModelInput
  output: ModelOutput
  labels: string[]
  categories: Record<string, Risk>
  sha256?: string
}

/** Reads a manifest. `readLabels` reads the file of labels that it may name. Throws ModelFault. */
export async function parseManifest(
  text: string,
  readLabels: (name: string) => Promise<string>,
): Promise<ModelManifest> {
  const manifest = check(Manifest, parseJson(text), '')
  const output = check(OUTPUTS[manifest.output.kind], manifest.output, '/output') as ModelOutput
  const { serves, input, labels: given, categories = {}, sha256 } = manifest
  if (!KINDS[serves].includes(output.kind))
    throw new ModelFault(`output.kind must be one of ${KINDS[serves].join(', ')} for ${serves}`)
  const labels = typeof given === 'string' ? splitLabels(await readLabels(given)) : (given ?? [])
  checkLabels({ serves, output, labels, categories })
  return { serves, input, output, labels, categories, ...(sha256 !== undefined && { sha256 }) }
}

function checkLabels({ serves, output, labels, categories }: Omit<ModelManifest, 'input'>): void {
  if (output.kind === 'embedding') return
  if (labels.length === 0) throw new ModelFault('labels must list what the model finds, in its order')
  if (serves === 'moderate' && !labels.some(label => Object.hasOwn(categories, label)))
    throw new ModelFault('categories must say which labels are a risk: {"<label>": "explicit", ...}')
  if (serves === 'detect-faces' && !labels.includes('face')) throw new ModelFault('labels must name faces "face"')
  const hasEquipment = EQUIPMENT.some(name => labels.includes(name))
  if (serves === 'detect-ppe' && !(labels.includes('person') && hasEquipment))
    throw new ModelFault(`labels must name persons "person", and equipment ${EQUIPMENT.join(', ')}`)
}

function splitLabels(text: string): string[] {
  return text.split('\n').flatMap(line => line.trim() || [])
}

function parseJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // What is no JSON is refused as any other content that is no object.
  }
  throw new ModelFault('the manifest is not a JSON object')
}

function check<Schema extends ReturnType<typeof Type.Object>>(
  schema: Schema,
  value: object,
  at: string,
): Static<Schema> {
  const filled = Default(schema, structuredClone(value))
  const [error] = Errors(schema, filled)
  if (!error) return filled as Static<Schema>
  const field = `${at}${error.instancePath}`.slice(1).replaceAll('/', '.')
  const detail = (error.params as { additionalProperties?: string[] }).additionalProperties?.join(', ')
  throw new ModelFault(`${field || 'the manifest'} ${error.message}${detail ? `: ${detail}` : ''}`)
}
