import { type Static, Type } from 'typebox'
import { Choice, FileInput } from '#kit'
import { FieldBody } from '../../../tasks/products/esigndoc/field-body.ts'
import { ENVELOPE_OPTIONS, RecipientBody, Text } from '../../../tasks/products/esigndoc/terms.ts'

const DocumentInput = (description: string) => FileInput({ named: true, description })

/** What is signed: one file, or several that are signed as one. */
export const DOCUMENT_FIELDS = {
  file: Type.Optional(DocumentInput('A PDF, or a document of an office program, which is printed as a PDF.')),
  pdf: Type.Optional(DocumentInput('The same as `file`, as the name of a part of a form.')),
  files: Type.Optional(
    Type.Array(
      Type.Object(
        { file: DocumentInput('One of the documents.'), name: Type.Optional(Text(255)) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10, description: 'Several documents, in place of `file`.' },
    ),
  ),
}

const AutoPlace = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        page: Type.Union([Choice(['last']), Type.Integer({ minimum: 1 })], {
          default: 'last',
          description: 'The page, of the last file, on which a block is added.',
        }),
        style: Choice(['block', 'page'], {
          default: 'page',
          description:
            'What is added where nothing is found: a block below the text, if it fits there, or a page at the end.',
        }),
      },
      { additionalProperties: false },
    ),
  ],
  {
    default: false,
    description:
      'Find tags such as `{{sig:1}} {{init:2}} {{date:1}} {{text:1:label}}`, else what is printed for signatures, such as `Signature:` and `____`; else a page for signatures is added.',
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
        description: 'By default true if there are fields, or autoPlaceSignature; else it is a free draft.',
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
