import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Query a CSV file with SQL',
  lead: 'One SELECT over files that you send: joins, windows, sums. DuckDB runs it in a process that can read nothing else.',
  keywords: 'sql, csv, duckdb, query, join, group by, aggregate, excel, parquet',
  steps: [
    {
      call: 'data.sql',
      input: {
        tables: {
          orders: { text: 'id,customer,amount\n1,7,120\n2,8,45\n3,7,80\n' },
          customers: { text: 'id,name\n7,Ada\n8,Bob\n' },
        },
        sql: 'SELECT name, sum(amount) AS total FROM orders JOIN customers ON customers.id = customer WHERE amount > $least GROUP BY name ORDER BY total DESC',
        params: { least: 50 },
      },
    },
  ],
  pitfalls: [
    'A single `file` is the table `input`; several have the names that you give in `tables`.',
    'Put values into `params`, never into the text of the query: quotes in a name would end it.',
    'At most `maxRows` rows come back, 10,000 by default, and `truncated` says whether there were more.',
    'Only one SELECT is allowed. COPY, ATTACH, INSTALL and functions that read files are `SQL_FORBIDDEN`.',
  ],
})
