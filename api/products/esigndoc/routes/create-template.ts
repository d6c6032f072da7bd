import { listDrawnSources } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { drawSources } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { NO_PRICE } from '../price.ts'
import { DOCUMENT_ERRORS } from '../schema.ts'
import { Template, TemplateBody } from '../template-body.ts'
import { describeTemplate, storeTemplate } from '../templates.ts'

export default route({
  at: 'POST /v1/esigndoc/templates',
  summary: 'Make a template of a document with roles and fields, to send again and again.',
  keywords: 'signature template, reusable form, template with roles',
  description: 'Free. POST /v1/esigndoc/envelopes/from-template puts people into its roles.',
  auth: BILLABLE_AUTH,
  body: TemplateBody,
  reply: { status: 201, schema: Template },
  price: NO_PRICE,
  countUnits: () => 0,
  limitSeconds: 60,
  errors: DOCUMENT_ERRORS,
  examples: [
    {
      title: 'One role',
      input: {
        file: 'sample:letter.pdf',
        ...{ name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
        fields: [{ key: 'sign', role: 'tenant', type: 'signature', page: -1, x: 60, y: 85 }],
      },
    },
  ],
  async handle({ caller, body, job }, context) {
    await drawSources(context, job!.id, listDrawnSources(TemplateBody, body))
    return describeTemplate(await storeTemplate(context, caller.accountId, body, undefined))
  },
})
