import { type Static, Type } from 'typebox'
import { Choice, FileInput } from '#kit'
import { FieldBody } from '../../../tasks/products/esigndoc/field-body.ts'
import { ENVELOPE_OPTIONS, RecipientBody, Text } from '../../../tasks/products/esigndoc/terms.ts'

const DocumentInput = (description: string) => FileInput({ named: true, description })

/** What is signed: one file, or several that are signed as one. */
export const DOCUMENT_FIELDS = {
  file: Type.Optional(DocumentInput('A PDF or an Office document.')),
  pdf: Type.Optional(DocumentInput('The same, as a part of a form.')),
  files: Type.Optional(
    Type.Array(
      Type.Object(
        { file: DocumentInput('A document.'), name: Type.Optional(Text(255)) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10, description: 'In place of `file`.' },
    ),
  ),
}

const AutoPlace = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        page: Type.Optional(
          Type.Union([Choice(['last']), Type.Integer({ minimum: 1 })], {
            default: 'last',
            description: 'For a block, of the last file.',
          }),
        ),
        style: Type.Optional(
          Choice(['block', 'page'], {
            default: 'page',
            description: 'What is added where nothing is found.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  {
    default: false,
    description:
      'Find tags such as `{{sig:1}} {{date:1}} {{text:1:label}}`, else labels such as `Signature:` or `____`; else add places.',
  },
)

const Recipients = Type.Array(RecipientBody, { minItems: 1, maxItems: 25 })

export const EnvelopeBody = Type.Object(
  {
    ...DOCUMENT_FIELDS,
    title: Type.Optional(Text(255, 'By default the name of the file.')),
    recipients: Recipients,
    fields: Type.Array(FieldBody, { maxItems: 500, default: [] }),
    autoPlaceSignature: AutoPlace,
    sendImmediately: Type.Optional(
      Type.Boolean({
        description: 'By default true with fields or autoPlaceSignature.',
      }),
    ),
    ...ENVELOPE_OPTIONS,
  },
  { additionalProperties: false },
)

export type EnvelopeRequest = Static<typeof EnvelopeBody>

/** How an envelope works, without its documents, people and fields. */
export type OptionsRequest = Omit<
  EnvelopeRequest,
  'file' | 'pdf' | 'files' | 'fields' | 'autoPlaceSignature' | 'sendImmediately' | 'title'
>
