import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'

interface Format {
  family: string
  extension: string
  mime: string
  name: string
}

/** Formats of today, whose layout is kept. */
const FAITHFUL = /^(?:doc|xls|ppt)[xmt]?$|^(?:dot|xlt|pot)[xm]?$|^(?:od[tsgp]|ot[tsgp]|rtf|txt|csv)$/

export default route({
  at: 'GET /v1/office/formats',
  summary: 'List the office formats that can be read here.',
  keywords: 'supported office formats, libreoffice filters, which legacy documents',
  description: 'Read from the filters that are installed where the documents are printed.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      formats: Type.Array(
        Type.Object({
          family: Type.String(),
          extension: Type.String(),
          mime: Type.String(),
          name: Type.String(),
          fidelity: Type.String({ enum: ['high', 'medium'] }),
          notes: Type.String(),
        }),
      ),
      engine: Type.Object({ name: Type.String(), version: Type.String() }),
    }),
  },
  errors: ['PROVIDER_NOT_CONFIGURED'],
  handle: ({ reply }, { availability }) => {
    const report = availability.tools().find(({ name }) => name === 'libreoffice')
    if (!report?.ok) {
      const { install } = report ?? {}
      throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'office', adapters: ['libreoffice'], install })
    }
    reply.header('cache-control', 'public, max-age=60')
    const formats = ((report.details ?? []) as Format[]).map(format => ({ ...format, ...rate(format.extension) }))
    return { formats, engine: { name: 'LibreOffice', version: report.version ?? 'unknown' } }
  },
})

function rate(extension: string): { fidelity: 'high' | 'medium'; notes: string } {
  if (FAITHFUL.test(extension)) return { fidelity: 'high', notes: 'POST /v1/pdf/from-office' }
  return { fidelity: 'medium', notes: 'POST /v1/office/rescue' }
}
