import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildModel } from './onnx.ts'

/** Each word and its vector: about dogs, cats and fish, and one of questions. */
export const WORDS: Readonly<Record<string, readonly number[]>> = {
  '[PAD]': [0, 0, 0, 0],
  '[UNK]': [0, 0, 0, 0.25],
  '[CLS]': [0.5, 0.5, 0.5, 0],
  '[SEP]': [0, 0, 0, 0],
  query: [0, 0, 0, 2],
  passage: [0, 0, 0, 1],
  ':': [0, 0, 0, 0],
  dog: [4, 0, 0, 0],
  hund: [4, 0, 0, 0.5],
  cat: [0, 4, 0, 0],
  katze: [0, 4, 0, 0.5],
  fish: [0, 0, 4, 0],
  '##es': [0, 0, 1, 0],
}
const NAMES = Object.keys(WORDS)
export const MAX_TOKENS = 12

/** Gives each token the vector of its word. */
export function buildWordModel(): Buffer {
  const tokens = { shape: [1, 'tokens'], type: 'int64' } as const
  return buildModel({
    inputs: [
      { name: 'input_ids', ...tokens },
      { name: 'attention_mask', ...tokens },
    ],
    outputs: [{ name: 'last_hidden_state', shape: [1, 'tokens', 4] }],
    constants: [{ name: 'words', shape: [NAMES.length, 4], values: Object.values(WORDS).flat() }],
    nodes: [{ op: 'Gather', inputs: ['words', 'input_ids'], outputs: ['last_hidden_state'] }],
  })
}

const mark = (content: string) => ({
  ...{ id: NAMES.indexOf(content), content, special: true },
  ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
})
const TOKENIZER = {
  version: '1.0',
  added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map(mark),
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'BertProcessing',
    ...{ cls: ['[CLS]', NAMES.indexOf('[CLS]')], sep: ['[SEP]', NAMES.indexOf('[SEP]')] },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    ...{ unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100 },
    vocab: Object.fromEntries(NAMES.map((name, id) => [name, id])),
  },
}

/** Writes a model in the layout of sentence-transformers: mean of all tokens, of length 1. */
export async function writeTextModel(modelsDir: string, name: string, model = buildWordModel()): Promise<void> {
  const folder = join(modelsDir, name)
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await mkdir(join(folder, '1_Pooling'))
  const step = (idx: number, kind: string, path = '') => ({
    ...{ idx, name: String(idx), path },
    type: `sentence_transformers.models.${kind}`,
  })
  const files: Record<string, object> = {
    'modules.json': [step(0, 'Transformer'), step(1, 'Pooling', '1_Pooling'), step(2, 'Normalize', '2_Normalize')],
    '1_Pooling/config.json': {
      word_embedding_dimension: 4,
      pooling_mode_mean_tokens: true,
      pooling_mode_cls_token: false,
    },
    'sentence_bert_config.json': { max_seq_length: MAX_TOKENS, do_lower_case: false },
    'tokenizer.json': TOKENIZER,
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 512 },
  }
  for (const [file, value] of Object.entries(files)) await writeFile(join(folder, file), JSON.stringify(value))
  await writeFile(join(folder, 'onnx/model.onnx'), model)
  await chmod(modelsDir, 0o755)
}
