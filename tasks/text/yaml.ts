import { Type } from 'typebox'
import { Choice, define, FileOutput, Warnings } from '#kit'
import { answerText, OUT_FORMAT, readContent, TEXT_OR_FILE, textPrice } from './schema.ts'

export default define({
  summary: 'Convert YAML to JSON, or JSON to YAML.',
  keywords:
    'yaml to json, json to yaml, yml, config file, openapi, kubernetes, docker compose, front matter, parse yaml, format yaml, validate yaml',
  converts: [
    { from: 'yaml', to: 'json' },
    { from: 'json', to: 'yaml' },
  ],
  description:
    'YAML 1.2 with anchors and merge keys. Numbers keep their digits. Several documents become an array. `to: yaml` of ' +
    'YAML formats it and keeps comments. Keys that stand twice, and more than 100 uses of an anchor, are refused.',
  price: textPrice(),
  uses: ['yaml'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    to: Choice(['json', 'yaml'], { default: 'json' }),
    indent: Type.Integer({ default: 2, minimum: 1, maximum: 8, description: 'Spaces per level.' }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('*/*')),
    documents: Type.Integer({ minimum: 1, description: 'How many the text had.' }),
    warnings: Warnings,
  }),
  errors: ['YAML_INVALID', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'A setting with an anchor',
      input: { text: 'base: &b {retries: 3}\nlive:\n  <<: *b\n  ratio: 0.10\n', indent: 1 },
      answer: {
        text: '{\n "base": {\n  "retries": 3\n },\n "live": {\n  "retries": 3,\n  "ratio": 0.10\n }\n}',
        documents: 1,
      },
    },
    {
      title: 'JSON as YAML',
      input: { text: '{"ports":[80,443],"version":"1.10","on":"yes"}', to: 'yaml' },
      answer: { text: 'ports:\n  - 80\n  - 443\nversion: "1.10"\n"on": "yes"\n' },
    },
  ],

  async run(input, { yaml }) {
    const { text, warnings = [] } = await readContent(input)
    const { indent, to, outFormat } = input
    const converted = to === 'json' ? await yaml.toJson(text, { indent }) : await yaml.toYaml(text, { indent })
    const answer = answerText(converted.text, outFormat, `converted.${to}`, TYPES[to])
    const result = { ...answer, documents: converted.documents }
    return { result, warnings: [...warnings, ...converted.warnings] }
  },
})

const TYPES = { json: 'application/json', yaml: 'application/yaml' }
