import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Fill in a PDF form',
  lead: 'Set the fields of a form by their names, in any script. First ask for the fields, then fill them in.',
  keywords: 'form, acroform, fields, fill, mail merge, flatten',
  steps: [
    { call: 'pdf.form', note: 'Which fields are there?', input: { file: 'sample:order-form.pdf' }, as: 'form' },
    {
      call: 'pdf.form',
      note: 'Fill them in.',
      input: {
        file: 'sample:order-form.pdf',
        action: 'fill',
        values: { name: 'Ayşe Yılmaz', express: true, size: 'M', notes: 'Please ring twice.' },
        flatten: true,
      },
      saves: 'filled.pdf',
    },
  ],
  pitfalls: [
    'Names are the full names of the fields, which are often not what is printed beside them. An unknown one fails with `FIELD_NOT_FOUND`, unless `strict` is false.',
    'Forms made with XFA (Adobe LiveCycle) are answered with `XFA_UNSUPPORTED`; print them to a plain PDF first.',
    '`flatten` makes the fields part of the page, so nobody can change them, and ends the validity of signatures.',
    'With `records`, a list of values, one call makes one filled copy for each record.',
  ],
})
