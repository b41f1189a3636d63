package tables

import (
	"strconv"

	"twibase/hbase"
)

// Gateways is a row with a column for each gateway of a store. Gateways read it to detect
// differences in settings that must agree.
var Gateways = gateways{}

type gateways struct{}

// GatewaySettings are the settings of a gateway that must agree with those of others.
type GatewaySettings struct {
	Gateway     string // its id
	FanoutLimit int
	At          int64 // when it was last put, by the store's clock
}

// Get reads the settings of all gateways.
func (gateways) Get() hbase.Get {
	return hbase.Get{Table: Broadcasters.Table, Row: RowKey("gateways"), Columns: broadcastersFamily}
}

// Put stores the settings of a gateway, with the store's time.
func (n gateways) Put(s GatewaySettings) hbase.Put {
	get := n.Get()
	return hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: s.Gateway, Value: strconv.AppendInt(nil, int64(s.FanoutLimit), 10)}}}
}

// Remove removes the settings of a gateway that has ended.
func (n gateways) Remove(gateway string) hbase.Delete {
	get := n.Get()
	return hbase.Delete{Table: get.Table, Row: get.Row, Columns: []hbase.Deletion{
		{Kind: hbase.AllVersions, Family: broadcastersFamily, Qualifier: gateway}}}
}

// Decode decodes the cells of Get. Unreadable ones are skipped.
func (gateways) Decode(cells []hbase.Cell) (all []GatewaySettings) {
	for _, c := range cells {
		if limit, err := strconv.Atoi(string(c.Value)); err == nil {
			all = append(all, GatewaySettings{c.Qualifier, limit, c.Timestamp})
		}
	}
	return all
}
