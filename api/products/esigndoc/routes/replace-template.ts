import { Type } from 'typebox'
import { listDrawnSources } from '#kit'
import { readTemplate } from '../../../../sql/esigndoc/templates.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { drawSources } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { NO_PRICE } from '../price.ts'
import { DOCUMENT_ERRORS, parseTemplateId } from '../schema.ts'
import { Template, TemplateBody, TemplateParam } from '../template-body.ts'
import { describeTemplate, storeTemplate } from '../templates.ts'

export default route({
  at: 'PUT /v1/esigndoc/templates/{templateId}',
  summary: 'Replace a template by a new version. Envelopes that were made with an earlier one keep that.',
  keywords: 'update a template, new version of a form',
  auth: BILLABLE_AUTH,
  params: TemplateParam,
  body: Type.Object(TemplateBody.properties, { additionalProperties: false }),
  reply: { status: 200, schema: Template },
  price: NO_PRICE,
  countUnits: () => 0,
  limitSeconds: 60,
  errors: [...DOCUMENT_ERRORS, 'NOT_FOUND'],
  examples: [
    {
      title: 'Of an upload, with another role',
      input: {
        file: { inputKey: 'scratch/019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071/019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6072' },
        ...{ name: 'Letter', roles: [{ key: 'owner', name: 'Owner' }] },
      },
    },
  ],
  async handle({ caller, params, body, job }, context) {
    const id = parseTemplateId(params.templateId)
    await readTemplate(context.db, caller.accountId, id)
    await drawSources(context, job!.id, listDrawnSources(TemplateBody, body))
    return describeTemplate(await storeTemplate(context, caller.accountId, body, id))
  },
})
