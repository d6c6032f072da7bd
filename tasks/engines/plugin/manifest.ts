import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { FileInput, FileOutput } from '#kit'
import {
  COMMON_FIELDS,
  invalid,
  MAX_SECONDS,
  type PluginDeclaration,
  readDeclaration,
  requireShape,
} from './declaration.ts'

const FIELD = /^[a-z][A-Za-z0-9]{0,39}$/
const Schemas = Type.Record(Type.String(), Type.Unsafe<TSchema>({ type: 'object' }))
const Closed = { additionalProperties: false }

/** The manifest of a program: `plugin.json` in its folder. */
const Manifest = Type.Object(
  {
    ...COMMON_FIELDS,
    command: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 200 }),
    options: Type.Optional(Schemas),
    required: Type.Optional(Type.Array(Type.String())),
    files: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            accept: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
            description: Type.Optional(Type.String()),
            optional: Type.Optional(Type.Boolean()),
          },
          Closed,
        ),
      ),
    ),
    outputs: Type.Optional(
      Type.Record(Type.String(), Type.Object({ type: Type.String(), name: Type.String() }, Closed)),
    ),
    result: Type.Optional(Schemas),
    limits: Type.Optional(
      Type.Object(
        {
          seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
          memoryMb: Type.Optional(Type.Integer({ minimum: 16, maximum: 4096 })),
          processes: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
        },
        Closed,
      ),
    ),
  },
  Closed,
)
type Manifest = Static<typeof Manifest>

const DEFAULT_LIMITS = { seconds: 60, memoryMb: 512, processes: 16 }

/** Reads the manifest of a program as a declaration. Throws PLUGIN_INVALID. */
export function readManifest(given: unknown): PluginDeclaration {
  requireShape(Manifest, given)
  const manifest = given as Manifest
  checkFields(manifest)
  checkPlaceholders(manifest)
  const { command, options, required, files, outputs = {}, result, limits, ...common } = manifest
  const { seconds: limitSeconds, memoryMb, processes } = { ...DEFAULT_LIMITS, ...limits }
  return readDeclaration({
    ...common,
    input: describeInput({ options, required, files }),
    output: describeOutput({ outputs, result }),
    limitSeconds,
    program: { command, outputs, printsResult: result !== undefined, memoryMb, processes },
  })
}

function describeInput({ options = {}, required = [], files = {} }: Partial<Manifest>): TSchema {
  const fields: TProperties = {}
  for (const [name, { accept, description, optional }] of Object.entries(files)) {
    const file = FileInput({ ...(accept && { accept }), description })
    fields[name] = optional ? Type.Optional(file) : file
  }
  const needed = Object.keys(files).filter(name => !files[name]!.optional)
  return { type: 'object', properties: { ...fields, ...options }, required: [...needed, ...required] } as TSchema
}

function describeOutput({ outputs = {}, result = {} }: Partial<Manifest>): TSchema {
  const files = Object.fromEntries(Object.entries(outputs).map(([name, { type }]) => [name, FileOutput(type)]))
  const names = Object.keys(outputs)
  return { type: 'object', properties: { ...files, ...result }, required: names } as TSchema
}

/** What a placeholder names is one thing. */
function checkFields({ options = {}, files = {}, outputs = {}, result = {}, required = [] }: Manifest): void {
  const names = [options, files, outputs].flatMap(part => Object.keys(part))
  const wrong = [...names, ...Object.keys(result)].find(name => !FIELD.test(name))
  if (wrong !== undefined) throw invalid(`the field ${wrong} must be letters and digits, such as pageSize`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`the field ${twice} is declared twice`)
  const absent = required.find(name => !Object.hasOwn(options, name))
  if (absent !== undefined) throw invalid(`required names ${absent}, which is no option`)
  const file = Object.values(outputs).find(({ name }) => !/^(?!input-)[\w-][\w.-]{0,99}$/.test(name))
  if (file) throw invalid(`outputs: ${file.name} is not a plain file name`)
  if (names.length > 0 && Object.keys(outputs).length + Object.keys(result).length === 0)
    throw invalid('outputs or result must say what it gives')
}

function checkPlaceholders({ command, options = {}, files = {}, outputs = {} }: Manifest): void {
  const known = new Set([options, files, outputs].flatMap(part => Object.keys(part)))
  const named = command.flatMap(listPlaceholders)
  const unknown = named.find(name => !known.has(name))
  if (unknown !== undefined) throw invalid(`command: {${unknown}} is no option, file or output`)
  const unwritten = Object.keys(outputs).find(name => !named.includes(name))
  if (unwritten !== undefined) throw invalid(`command: nothing says where to write {${unwritten}}`)
}

/** The names in braces of one argument. */
export function listPlaceholders(argument: string): string[] {
  return [...argument.matchAll(/\{([A-Za-z][A-Za-z0-9]*)\}/g)].map(([, name]) => name!)
}
