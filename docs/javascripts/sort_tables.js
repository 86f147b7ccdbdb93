// Tables of the class "sortable" are sorted by a click on a column. Material for MkDocs loads pages without a reload.
document$.subscribe(() => {
  for (const table of document.querySelectorAll("table.sortable")) new Tablesort(table, { descending: true });
});
